import { createContext, useCallback, useContext, useState, type ReactNode } from "react";
import { createPortal } from "react-dom";
import { useTopDialog } from "./dialog.tsx";

const AnnounceContext = createContext<(message: string) => void>(() => undefined);

/** Says things to screen readers, politely, for everything inside. */
export function Announcer({ children }: { readonly children: ReactNode }): ReactNode {
  const [spoken, setSpoken] = useState({ message: "", turn: 0 });
  const announce = useCallback((message: string) => setSpoken((before) => ({ message, turn: before.turn + 1 })), []);
  const dialog = useTopDialog();
  const region = (
    <div className="visually-hidden" role="status" aria-live="polite">
      {/* A space more or less makes a repeated message news. */}
      {spoken.message + (spoken.turn % 2 === 0 ? "" : " ")}
    </div>
  );
  return (
    <AnnounceContext.Provider value={announce}>
      {children}
      {/* What is outside of a modal dialog is silent. */}
      {dialog === undefined ? region : createPortal(region, dialog)}
    </AnnounceContext.Provider>
  );
}

/** Says something to screen readers. */
export function useAnnounce(): (message: string) => void {
  return useContext(AnnounceContext);
}
