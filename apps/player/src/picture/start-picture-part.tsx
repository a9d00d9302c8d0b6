import type { WorldSummary } from "@dreamloop/client";
import type { ReactNode } from "react";
import { PictureField } from "./picture-field.tsx";

/** The part of the menu in which a world that takes a picture is started from another one; a new session takes the place of this one. */
export function StartPicturePart({ world }: { readonly world: WorldSummary }): ReactNode {
  const size = world.initialFields.find(({ image }) => image !== undefined)?.image;
  if (size === undefined) return null;
  return (
    <section className="menu-part">
      <h3>Your picture</h3>
      <PictureField world={world} />
      <p className="hint">
        The world begins anew from it, cropped to {size.width} × {size.height}.
      </p>
    </section>
  );
}
