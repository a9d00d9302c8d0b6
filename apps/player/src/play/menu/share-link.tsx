import type { ReactNode } from "react";
import { viewerUrl } from "../../route.ts";
import { Icon } from "../../parts/icons.tsx";

/** The link under which others watch. */
export function ShareLink(props: {
  readonly viewerToken: string;
  readonly onToast: (message: string) => void;
}): ReactNode {
  const url = viewerUrl(props.viewerToken, window.location);
  const copy = (): void => {
    const { clipboard } = navigator as { readonly clipboard?: Clipboard };
    if (clipboard === undefined) {
      props.onToast("This page may not use the clipboard: select the link and copy it.");
      return;
    }
    clipboard.writeText(url).then(
      () => props.onToast("Link copied."),
      () => props.onToast("The browser refused the clipboard: select the link and copy it."),
    );
  };
  return (
    <section className="menu-part">
      <h3>Let others watch</h3>
      <div className="share">
        <input readOnly value={url} aria-label="Link for viewers" onFocus={(event) => event.target.select()} />
        <button type="button" className="button" onClick={copy}>
          <Icon name="share" /> Copy
        </button>
      </div>
      <p className="hint">Viewers see what you see and cannot touch anything.</p>
    </section>
  );
}
