import type { ReactNode } from "react";

const PATHS = {
  back: "M15 5l-7 7 7 7",
  menu: "M4 7h16M4 12h16M4 17h16",
  pause: "M9 6v12M15 6v12",
  play: "M8 5.5v13l11-6.5z",
  step: "M6 6v12l9-6zM18 6v12",
  stats: "M5 19v-6M10 19V9M15 19v-9M20 19V5",
  share: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7L12 17",
  fullscreen: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  reset: "M4 12a8 8 0 1 0 2.5-5.8M4 4v4.5h4.5",
  close: "M6 6l12 12M18 6L6 18",
  send: "M5 12h13M12 6l6 6-6 6",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  back10: "M4 12a8 8 0 1 0 2.5-5.8M4 4v4.5h4.5M9.4 10.5v5M12.6 12v2a1.3 1.3 0 0 0 2.6 0v-2a1.3 1.3 0 0 0-2.6 0z",
  branch: "M7 5v14M7 12h5a5 5 0 0 0 5-5V5M5 5h4M15 5h4M5 19h4",
  compare: "M12 4v16M4 6h5v12H4zM15 6h5v12h-5z",
  moment: "M6 4h9l3 3v13H6zM9 4v5h6V4M9 20v-6h6v6",
  camera: "M4 8h3.5L9 6h6l1.5 2H20v11H4zM12 16.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  arrow: "M5 12h14M13 6l6 6-6 6",
  language:
    "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3.5 12h17M12 3c2.6 2.5 3.8 5.5 3.8 9s-1.2 6.5-3.8 9c-2.6-2.5-3.8-5.5-3.8-9S9.4 5.5 12 3z",
  info: "M12 11v6M12 7.5v.1M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
} as const;

/** The name of a drawing. */
export type IconName = keyof typeof PATHS;

/** A drawing that says nothing by itself: the words beside it, or the label of its button, do. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The mark of Dreamloop. */
export function Mark(): ReactNode {
  return (
    <svg className="mark" viewBox="0 0 32 20" aria-hidden="true" focusable="false">
      <path d="M3 10c0-4 2.8-7 6.2-7C15.4 3 16.6 17 22.8 17 26.2 17 29 14 29 10s-2.8-7-6.2-7C16.6 3 15.4 17 9.2 17 5.8 17 3 14 3 10Z" />
    </svg>
  );
}
