import type { WorldSummary } from "@dreamloop/client";
import { useId, useState, type CSSProperties, type DragEvent, type ReactNode } from "react";
import { useAnnounce } from "../parts/announcer.tsx";
import { useText } from "../text/text-provider.tsx";
import { KIND_BYTES, PICTURE_TYPES, pictureFault, type PictureFault } from "./picture-kind.ts";
import { useStartPicture } from "./start-pictures.tsx";

/** What the field takes. */
export interface PictureFieldProps {
  /** The world; one that starts from no picture has no field. */
  readonly world: Pick<WorldSummary, "id" | "title" | "initialFields">;
}

/** Lets the user choose the picture that a world starts from: by file dialog or by dropping it, with a preview of what the world will see of it. */
export function PictureField({ world }: PictureFieldProps): ReactNode {
  const field = world.initialFields.find(({ image }) => image !== undefined);
  const { picture, choose } = useStartPicture(world.id);
  const text = useText();
  const [fault, setFault] = useState<PictureFault | undefined>();
  const [isOver, setOver] = useState(false);
  const announce = useAnnounce();
  const id = useId();
  if (field?.image === undefined) return null;
  const { name, image } = field;

  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const found = await faultOf(file);
    setFault(found);
    if (found !== undefined) return;
    choose({ field: name, file });
    announce(text.picture.chosen(world.title));
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files[0]);
  };
  const remove = (): void => {
    setFault(undefined);
    choose(undefined);
    announce(text.picture.removed(world.title));
  };

  return (
    <div className="start-picture">
      <label
        className={isOver ? "start-picture-drop is-over" : "start-picture-drop"}
        onDragEnter={() => setOver(true)}
        onDragOver={(event) => event.preventDefault()}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <input
          type="file"
          className="visually-hidden"
          accept={PICTURE_TYPES}
          aria-describedby={fault === undefined ? undefined : id}
          onChange={(event) => {
            void take(event.target.files?.[0]);
            // The same file can be chosen again after a fault.
            event.target.value = "";
          }}
        />
        {picture === undefined ? null : (
          <img
            className="start-picture-preview"
            src={picture.previewUrl}
            alt={text.picture.preview}
            style={{ "--shape": `${image.width} / ${image.height}` } as CSSProperties}
          />
        )}
        <span>
          {picture !== undefined ? text.picture.another : field.required ? text.picture.choose : text.picture.start}
          <span className="visually-hidden">{text.picture.forWorld(world.title)}</span>
        </span>
      </label>
      {picture === undefined || field.required ? null : (
        <button type="button" className="button is-quiet" onClick={remove}>
          {text.picture.without}
          <span className="visually-hidden">{text.picture.startWithout(world.title)}</span>
        </button>
      )}
      {fault === undefined ? null : (
        <p id={id} className="field-fault" role="alert">
          {text.picture[fault]}
        </p>
      )}
    </div>
  );
}

/** Why a file cannot be used, by what it holds and by whether this browser can show it. */
async function faultOf(file: File): Promise<PictureFault | undefined> {
  try {
    const fault = pictureFault(new Uint8Array(await file.slice(0, KIND_BYTES).arrayBuffer()));
    if (fault !== undefined) return fault;
  } catch {
    return "unreadable";
  }
  try {
    (await createImageBitmap(file)).close();
    return undefined;
  } catch {
    return "damaged";
  }
}
