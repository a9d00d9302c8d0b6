import type { WorldSummary } from "@dreamloop/client";
import { useEffect, useId, useRef, useState, type ReactNode } from "react";
import { addressOf } from "../address/server-url.ts";
import { usePreferences } from "../preferences/preferences.tsx";
import { ART_HEIGHT, ART_WIDTH, placeholderArt } from "./placeholder-art.ts";

/** Whether this person's device lets pictures move by themselves. */
export function usesMotion(): boolean {
  return !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** The picture that a world brings along, moving where it is a clip and may move; a drawn one where it has none, or it does not arrive. */
export function Poster({ world }: { readonly world: Pick<WorldSummary, "id" | "posterPath"> }): ReactNode {
  const [{ holdsPreviews }] = usePreferences();
  const [hasFailed, setFailed] = useState(false);
  if (world.posterPath === undefined || hasFailed) return <Placeholder name={world.id} />;
  const source = addressOf(world.posterPath, window.location);
  const onFailed = (): void => setFailed(true);
  return holdsPreviews || !usesMotion() ? (
    <StillPoster source={source} onFailed={onFailed} />
  ) : (
    <img
      className="poster"
      src={source}
      alt=""
      width={ART_WIDTH}
      height={ART_HEIGHT}
      loading="lazy"
      decoding="async"
      onError={onFailed}
    />
  );
}

/** The first picture of a clip. A canvas, since an image element cannot be kept from moving. */
function StillPoster({ source, onFailed }: { readonly source: string; readonly onFailed: () => void }): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const failed = useRef(onFailed);
  useEffect(() => {
    const image = new Image();
    image.onload = () => {
      const element = canvas.current;
      if (element === null) return;
      element.width = image.naturalWidth;
      element.height = image.naturalHeight;
      element.getContext("2d")?.drawImage(image, 0, 0);
    };
    image.onerror = () => failed.current();
    image.src = source;
    return () => {
      image.onload = image.onerror = null;
    };
  }, [source]);
  return <canvas ref={canvas} className="poster" width={ART_WIDTH} height={ART_HEIGHT} aria-hidden="true" />;
}

function Placeholder({ name }: { readonly name: string }): ReactNode {
  const id = useId();
  const { sky, disc, hills } = placeholderArt(name);
  return (
    <svg
      className="poster"
      viewBox={`0 0 ${ART_WIDTH} ${ART_HEIGHT}`}
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
    >
      <linearGradient id={`${id}sky`} x1="0" y1="0" x2="0" y2="0.75">
        {sky.map((colour, index) => (
          <stop key={colour} offset={index / (sky.length - 1)} stopColor={colour} />
        ))}
      </linearGradient>
      <radialGradient id={`${id}glow`}>
        <stop offset="0" stopColor="#fff" stopOpacity=".5" />
        <stop offset="1" stopColor="#fff" stopOpacity="0" />
      </radialGradient>
      <rect width={ART_WIDTH} height={ART_HEIGHT} fill={`url(#${id}sky)`} />
      <circle cx={disc.x} cy={disc.y} r={disc.radius * 4} fill={`url(#${id}glow)`} />
      <circle cx={disc.x} cy={disc.y} r={disc.radius} fill="#fff8ea" />
      {hills.map(({ path, colour }) => (
        <path key={path} d={path} fill={colour} />
      ))}
    </svg>
  );
}
