import { browserSupport, type WorldSummary } from "@dreamloop/client";
import type { ReactNode } from "react";
import { Markdown } from "../../parts/markdown.tsx";
import { lookUp } from "../../text/messages.ts";
import { worldText } from "../../text/names.ts";
import { useText } from "../../text/text-provider.tsx";

/** What the world is, and what this browser does not offer. */
export function AboutTab({ world }: { readonly world: WorldSummary }): ReactNode {
  const text = useText();
  return (
    <>
      <p>{worldText(world.description, text)}</p>
      {world.modelCard === undefined ? null : <Markdown text={world.modelCard} />}
      <MissingFeatures />
    </>
  );
}

/** What this browser withholds from this page; nothing when it withholds nothing. */
function MissingFeatures(): ReactNode {
  const { menu } = useText();
  const { isSecureContext, features } = browserSupport();
  const missing = features.filter(({ available }) => !available);
  if (missing.length === 0) return null;
  return (
    <section className="menu-part">
      <h3>{menu.missingHeading}</h3>
      {isSecureContext ? null : <p className="hint">{menu.insecureHint}</p>}
      <ul className="features">
        {missing.map(({ name, without }) => {
          const [title, meaning] = lookUp(menu.features, name) ?? [name, without];
          return (
            <li key={name}>
              <strong>{title}</strong> {meaning}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
