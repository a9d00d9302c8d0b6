import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from "react";

/** A picture that a world is to start from. */
export interface StartPicture {
  /** The initial input that takes it. */
  readonly field: string;
  /** The file. */
  readonly file: File;
  /** Address of the file within this page, for a preview. */
  readonly previewUrl: string;
}

/** What is chosen for a world. */
export interface WorldPicture {
  /** The picture; absent: the world starts without one. */
  readonly picture: StartPicture | undefined;
  /** How often the choice has changed, so that a session can be started anew. */
  readonly turn: number;
}

interface Choices {
  readonly of: (world: string) => WorldPicture;
  readonly choose: (world: string, choice: Pick<StartPicture, "field" | "file"> | undefined) => void;
}

const NOTHING: WorldPicture = { picture: undefined, turn: 0 };
const ChoicesContext = createContext<Choices>({ of: () => NOTHING, choose: () => undefined });

/** Keeps the pictures that were chosen, one for each world, as long as the page lives. */
export function StartPictures({ children }: { readonly children: ReactNode }): ReactNode {
  const [pictures, setPictures] = useState<ReadonlyMap<string, WorldPicture>>(new Map());
  const previews = useRef(new Map<string, string>());
  const choose = useCallback<Choices["choose"]>((world, choice) => {
    const picture = choice === undefined ? undefined : { ...choice, previewUrl: URL.createObjectURL(choice.file) };
    URL.revokeObjectURL(previews.current.get(world) ?? "");
    previews.current.set(world, picture?.previewUrl ?? "");
    setPictures((before) => {
      const { turn } = before.get(world) ?? NOTHING;
      return new Map(before).set(world, { picture, turn: turn + 1 });
    });
  }, []);
  const choices = useMemo<Choices>(() => {
    return { of: (world) => pictures.get(world) ?? NOTHING, choose };
  }, [pictures, choose]);
  useDropsKept();
  return <ChoicesContext.Provider value={choices}>{children}</ChoicesContext.Provider>;
}

/** What is chosen for a world, and how to choose something else. */
export function useStartPicture(
  world: string,
): WorldPicture & { readonly choose: (choice: Pick<StartPicture, "field" | "file"> | undefined) => void } {
  const { of, choose } = useContext(ChoicesContext);
  const chosen = of(world);
  return useMemo(() => {
    return { ...chosen, choose: (choice) => choose(world, choice) };
  }, [chosen, choose, world]);
}

/** A file that is dropped beside the field must not replace the page, and with it the session. */
function useDropsKept(): void {
  useEffect(() => {
    const keep = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault();
    };
    window.addEventListener("dragover", keep);
    window.addEventListener("drop", keep);
    return () => {
      window.removeEventListener("dragover", keep);
      window.removeEventListener("drop", keep);
    };
  }, []);
}
