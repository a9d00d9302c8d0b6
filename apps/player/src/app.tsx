import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { readArrival, takeToken, takeWorld } from "./address/arrival.ts";
import { worldHash } from "./address/route.ts";
import { RouteProvider, useRoute } from "./address/use-route.tsx";
import { Gallery } from "./gallery/gallery.tsx";
import { useWorlds } from "./gallery/use-worlds.ts";
import { Announcer } from "./parts/announcer.tsx";
import { DialogHost } from "./parts/dialog.tsx";
import { StartPictures } from "./picture/start-pictures.tsx";
import { PlayPage } from "./play/play-page.tsx";
import { MomentDrop, type DroppedMoment } from "./play/time/moment-drop.tsx";
import { PreferencesProvider } from "./preferences/preferences.tsx";
import { TextProvider } from "./text/text-provider.tsx";
import { ViewerPage } from "./view/viewer-page.tsx";

// Read once, before token and world are taken out of the address; the page has one address for its whole life.
const ARRIVAL = readArrival(window.location);
const ACCESS_TOKEN = takeToken(ARRIVAL, window);
takeWorld(ARRIVAL, window);

/** The whole page. */
export function App(): ReactNode {
  return (
    <PreferencesProvider>
      <TextProvider>
        <RouteProvider>
          <DialogHost>
            <Announcer>
              <StartPictures>
                <Page />
              </StartPictures>
            </Announcer>
          </DialogHost>
        </RouteProvider>
      </TextProvider>
    </PreferencesProvider>
  );
}

/** What the address names. */
function Page(): ReactNode {
  const route = useRoute();
  const worlds = useWorlds(ACCESS_TOKEN);
  const only = worlds.state === "ready" && worlds.worlds.length === 1 ? worlds.worlds[0]?.id : undefined;
  // Where there is but one world, whoever arrives at the gallery goes straight into it; once, since who comes back to the gallery wants to see it.
  const isArriving = useRef(route.page === "gallery");
  useEffect(() => {
    if (route.page !== "gallery") isArriving.current = false;
    if (!isArriving.current || only === undefined) return;
    isArriving.current = false;
    window.location.replace(worldHash(only));
  }, [route.page, only]);
  const [dropped, setDropped] = useState<DroppedMoment | undefined>();
  // Who goes to another page has left the moment.
  useEffect(() => setDropped(undefined), [route]);
  const page = useMemo(() => {
    if (dropped !== undefined) {
      return (
        <PlayPage
          key={`moment-${dropped.turn}`}
          world={route.page === "play" ? route.world : ""}
          worlds={worlds}
          accessToken={ACCESS_TOKEN}
          transport={ARRIVAL.transport ?? "auto"}
          canLeave={only === undefined}
          moment={dropped.file}
        />
      );
    }
    switch (route.page) {
      case "gallery":
        return <Gallery worlds={worlds} />;
      case "play":
        return (
          <PlayPage
            key={route.world}
            world={route.world}
            worlds={worlds}
            accessToken={ACCESS_TOKEN}
            transport={ARRIVAL.transport ?? "auto"}
            canLeave={only === undefined}
            {...(ARRIVAL.moment !== undefined && route.world === ARRIVAL.world ? { moment: ARRIVAL.moment } : {})}
          />
        );
      case "view":
        return <ViewerPage viewerToken={route.viewerToken} />;
    }
  }, [route, worlds, only, dropped]);
  return (
    <>
      {page}
      <MomentDrop onMoment={setDropped} />
    </>
  );
}
