import type { WorldSummary } from "@dreamloop/client";
import type { ReactNode } from "react";

/** A picture for a world, drawn from what is known of it: a road where one steers, a test card for the probe, else waves of its own colour. */
export function Poster({ world }: { readonly world: WorldSummary }): ReactNode {
  const hue = hueOf(world.id);
  // Before a world is loaded its controls are unknown, so that its words have to tell.
  const steers = /\b(drive|driving|road|car)\b/i.test(`${world.title} ${world.description}`);
  return (
    <svg className="poster" viewBox="0 0 320 180" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      {world.id === "probe" ? <TestCard /> : steers ? <Road hue={hue} /> : <Waves hue={hue} />}
    </svg>
  );
}

function hueOf(text: string): number {
  let hash = 7;
  for (const letter of text) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 360;
  return hash;
}

function Road({ hue }: { readonly hue: number }): ReactNode {
  return (
    <>
      <defs>
        <linearGradient id="dusk" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="#191b3f" />
          <stop offset=".62" stopColor="#8a4b78" />
          <stop offset="1" stopColor="#f5a66b" />
        </linearGradient>
        <linearGradient id="ground" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor={`hsl(${(hue + 130) % 360} 22% 20%)`} />
          <stop offset="1" stopColor={`hsl(${(hue + 130) % 360} 26% 9%)`} />
        </linearGradient>
      </defs>
      <rect width="320" height="112" fill="url(#dusk)" />
      <circle cx="206" cy="98" r="20" fill="#ffe0ae" />
      <path d="M0 108 44 82l30 16 42-34 46 38 34-20 40 24 38-16 46 22v8H0z" fill="#2a2145" />
      <rect y="108" width="320" height="72" fill="url(#ground)" />
      <path d="M152 108h16l112 72H40z" fill="#23252d" />
      <path d="M152 108 40 180h7L153 108zM168 108l112 72h-7L167 108z" fill="#e9e4d6" opacity=".85" />
      <g className="poster-drift" fill="#f4d35e">
        <path d="M159.4 114h1.200l.4 5h-2zM158.8 124h2.400l.8 10h-4zM157.6 141h4.800l1.4 16h-7.600zM156 166h8l1.2 14h-10.400z" />
      </g>
    </>
  );
}

function TestCard(): ReactNode {
  const bars = ["#e8e8e8", "#d9d32b", "#2bc4d2", "#35b850", "#c23bb5", "#cf3430", "#2f49c9", "#15171c"];
  return (
    <>
      {bars.map((colour, index) => (
        <rect key={colour} x={index * 40} width="41" height="124" fill={colour} />
      ))}
      {bars.map((colour, index) => (
        <rect key={colour} x={index * 40} y="124" width="41" height="22" fill={`hsl(220 8% ${6 + index * 12}%)`} />
      ))}
      <rect y="146" width="320" height="34" fill="#0e1014" />
      {Array.from({ length: 40 }, (_, index) => (
        <rect
          key={index}
          x={index * 8}
          y={152 + (index % 2) * 11}
          width="8"
          height="11"
          fill={(index * 7 + (index >> 2)) % 3 === 0 ? "#f2f2f2" : "#1d2027"}
        />
      ))}
      <circle className="poster-drift" cx="160" cy="62" r="34" fill="none" stroke="#0e1014" strokeWidth="3" />
    </>
  );
}

function Waves({ hue }: { readonly hue: number }): ReactNode {
  return (
    <>
      <rect width="320" height="180" fill={`hsl(${hue} 45% 14%)`} />
      {[0, 1, 2, 3, 4].map((row) => (
        <path
          key={row}
          className="poster-drift"
          d={`M-40 ${70 + row * 24} q40 ${-34 + row * 4} 80 0 t80 0 t80 0 t80 0 t80 0 V180 H-40z`}
          fill={`hsl(${(hue + row * 14) % 360} 60% ${24 + row * 7}%)`}
          opacity=".75"
        />
      ))}
    </>
  );
}
