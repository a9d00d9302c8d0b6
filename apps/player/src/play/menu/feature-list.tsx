import { browserSupport } from "@dreamloop/client";
import type { ReactNode } from "react";

/** What this browser withholds from this page; nothing when it withholds nothing. */
export function FeatureList(): ReactNode {
  const { isSecureContext, features } = browserSupport();
  const missing = features.filter(({ available }) => !available);
  if (missing.length === 0) return null;
  return (
    <section className="menu-part">
      <h3>What this browser withholds</h3>
      {isSecureContext ? null : (
        <p className="hint">
          The page came over plain HTTP from another machine. Over HTTPS the browser would offer more; start the server
          with a certificate for that.
        </p>
      )}
      <ul className="features">
        {missing.map(({ name, without }) => (
          <li key={name}>
            <strong>{name.replaceAll("_", " ")}</strong> {without}
          </li>
        ))}
      </ul>
    </section>
  );
}
