import type { WorldSummary } from "@dreamloop/client";
import { useId, useState, type ReactNode } from "react";
import { ART_HEIGHT, ART_WIDTH, placeholderArt } from "./placeholder-art.ts";

/** The picture that a world brings along; a drawn one where it has none, or it does not come. */
export function Poster({ world }: { readonly world: Pick<WorldSummary, "id" | "posterPath"> }): ReactNode {
  const [hasFailed, setFailed] = useState(false);
  if (world.posterPath === undefined || hasFailed) return <Placeholder name={world.id} />;
  return (
    <img
      className="poster"
      src={world.posterPath}
      alt=""
      width={ART_WIDTH}
      height={ART_HEIGHT}
      loading="lazy"
      decoding="async"
      onError={() => setFailed(true)}
    />
  );
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
