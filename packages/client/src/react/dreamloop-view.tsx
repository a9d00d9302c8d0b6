import { useEffect, useRef, type CSSProperties, type ReactNode } from "react";
import { captureInput, type CaptureOptions, type InputCapture } from "../capture/capture-input.ts";
import { usePlay } from "./play-context.tsx";

/** What the view takes. */
export interface DreamloopViewProps extends Omit<CaptureOptions, "target"> {
  /** Class of the element around the picture. */
  readonly className?: string;
  /** Style of the element around the picture. */
  readonly style?: CSSProperties;
  /** What a screen reader calls the picture. */
  readonly label?: string;
  /** What the button says that appears where the browser plays no video before a click. */
  readonly startLabel?: string;
  /** Whether input goes to the world; default true. */
  readonly capturesInput?: boolean;
  /** Gives the capture while there is one, for menus and on-screen controls. */
  readonly onCapture?: (capture: InputCapture | undefined) => void;
  /** What lies over the picture. */
  readonly children?: ReactNode;
}

/** The picture of the provider's session, with its input: clicks, keys and gamepads go to the world. */
export function DreamloopView(props: DreamloopViewProps): ReactNode {
  const { session } = usePlay();
  const picture = useRef<HTMLDivElement>(null);
  const newest = useRef(props);
  newest.current = props;
  const capture = useRef<InputCapture | undefined>(undefined);
  const { capturesInput = true } = props;
  useEffect(() => {
    const element = picture.current;
    if (session === undefined || element === null) return undefined;
    const { startLabel } = newest.current;
    session.attach(element, startLabel === undefined ? {} : { startLabel });
    return () => session.detach();
  }, [session]);
  useEffect(() => {
    const element = picture.current;
    if (session === undefined || element === null || !capturesInput) return undefined;
    const { remap, wheelMapping, locksPointer, reservedKeys, keyScope, padMappings, padDeadZone } = newest.current;
    const made = captureInput(session, {
      target: element,
      ...(remap === undefined ? {} : { remap }),
      ...(wheelMapping === undefined ? {} : { wheelMapping }),
      ...(locksPointer === undefined ? {} : { locksPointer }),
      ...(reservedKeys === undefined ? {} : { reservedKeys }),
      ...(keyScope === undefined ? {} : { keyScope }),
      ...(padMappings === undefined ? {} : { padMappings }),
      ...(padDeadZone === undefined ? {} : { padDeadZone }),
      onGamepad: (news) => newest.current.onGamepad?.(news),
      onUnknownPad: (news) => newest.current.onUnknownPad?.(news),
      onMenu: () => newest.current.onMenu?.(),
      onPointerLock: (isLocked, endedBy) => newest.current.onPointerLock?.(isLocked, endedBy),
    });
    capture.current = made;
    newest.current.onCapture?.(made);
    return () => {
      made.close();
      capture.current = undefined;
      newest.current.onCapture?.(undefined);
    };
  }, [session, capturesInput]);
  useEffect(() => {
    if (props.remap !== undefined) capture.current?.setRemap(props.remap);
  }, [props.remap]);
  useEffect(() => {
    if (props.padMappings !== undefined) capture.current?.setPadMappings(props.padMappings);
  }, [props.padMappings]);
  useEffect(() => {
    if (props.padDeadZone !== undefined) capture.current?.setPadDeadZone(props.padDeadZone);
  }, [props.padDeadZone]);
  return (
    <div className={props.className} style={{ position: "relative", ...props.style }}>
      <div
        ref={picture}
        role="img"
        aria-label={props.label ?? "Generated video"}
        style={{ position: "absolute", inset: 0, touchAction: "none", outline: "none" }}
        tabIndex={-1}
      />
      {props.children}
    </div>
  );
}
