import { useEffect } from "react";

/** Names the page in its tab while the component lives; `undefined` leaves the name as it is. */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    if (title === undefined) return undefined;
    const before = document.title;
    document.title = title;
    return () => {
      document.title = before;
    };
  }, [title]);
}
