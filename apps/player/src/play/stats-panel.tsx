import type { EncoderStatus, PlaySession, PlayStats } from "@dreamloop/client";
import { usePlayStats } from "@dreamloop/client/react";
import type { ReactNode } from "react";
import { plotPath } from "./plot.ts";

/** Frame rates, where the time of a step goes, and how fresh what one sees is. */
export function StatsPanel({ session }: { readonly session: PlaySession }): ReactNode {
  const stats = usePlayStats(session);
  return (
    <aside className="stats" aria-label="Numbers" tabIndex={0}>
      {stats === undefined ? <p>Measuring…</p> : <Numbers stats={stats} />}
    </aside>
  );
}

function Numbers({ stats }: { readonly stats: PlayStats }): ReactNode {
  const drops = Object.entries(stats.drops).filter(([, count]) => count > 0);
  const target = stats.targetFramesPerSecond;
  return (
    <>
      <section>
        <h2>Frames per second</h2>
        <dl className="stats-grid">
          <Row
            name="Generated"
            value={rate(stats.generatedFramesPerSecond)}
            note={target === undefined ? "" : `of ${target}`}
          />
          <Row name="Encoded" value={rate(stats.encodedFramesPerSecond)} />
          <Row name="Presented" value={rate(stats.presentedFramesPerSecond)} />
        </dl>
      </section>
      <StageBar stats={stats} />
      <Photon stats={stats} />
      <section>
        <h2>Drops</h2>
        {drops.length === 0 ? (
          <p className="stats-none">None</p>
        ) : (
          <dl className="stats-grid">
            {drops.map(([reason, count]) => (
              <Row key={reason} name={reason.replaceAll("_", " ")} value={String(count)} />
            ))}
          </dl>
        )}
      </section>
      <section>
        <h2>Way</h2>
        <dl className="stats-grid">
          <Row name="Transport" value={stats.transport === "webrtc" ? "WebRTC" : "WebSocket"} />
          <Row name="Codec" value={stats.codec ?? "–"} note={stats.encoderSettings?.codecString} />
          {stats.encoderSettings === undefined ? null : <Row name="Encoder" {...encoderText(stats.encoderSettings)} />}
          {stats.targetBitrateBitsPerSecond === undefined ? null : (
            <Row name="Bitrate" value={`${(stats.targetBitrateBitsPerSecond / 1e6).toFixed(1)}`} note="Mbit/s" />
          )}
          <Row name="Late steps" value={String(stats.underrunCount)} />
          <Row name="Viewers" value={String(stats.viewerCount)} />
        </dl>
      </section>
    </>
  );
}

/** Where it runs, and how many frames it holds back or takes out of order. */
function encoderText({ isHardware, lookAheadFrames, bFrames }: EncoderStatus): { value: string; note: string } {
  const held = lookAheadFrames + bFrames;
  return { value: isHardware ? "hardware" : "software", note: held === 0 ? "no delay" : `${held} frames delay` };
}

function Row(props: { readonly name: string; readonly value: string; readonly note?: string | undefined }): ReactNode {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>
        {props.value}
        {props.note === undefined || props.note === "" ? null : <small> {props.note}</small>}
      </dd>
    </div>
  );
}

function StageBar({ stats }: { readonly stats: PlayStats }): ReactNode {
  const stages = [
    { name: "Model", milliseconds: stats.modelMilliseconds },
    { name: "Encode", milliseconds: stats.encodeMilliseconds },
    { name: "Network", milliseconds: stats.roundTripMilliseconds },
  ];
  const sum = stages.reduce((total, { milliseconds = 0 }) => total + milliseconds, 0);
  return (
    <section>
      <h2>Time of a step</h2>
      <div className="stage-bar" aria-hidden="true">
        {stages.map(({ name, milliseconds }) => (
          <span
            key={name}
            className={`is-${name.toLowerCase()}`}
            style={{ flexGrow: sum === 0 ? 1 : (milliseconds ?? 0) }}
          />
        ))}
      </div>
      <dl className="stats-grid has-keys">
        {stages.map(({ name, milliseconds }) => (
          <div key={name} className={`is-${name.toLowerCase()}`}>
            <dt>{name}</dt>
            <dd>
              {rate(milliseconds)}
              {milliseconds === undefined ? null : <small> ms</small>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const PLOT = { width: 208, height: 44 };

function Photon({ stats }: { readonly stats: PlayStats }): ReactNode {
  const { inputToPhoton: photon, inputToPhotonSamples: samples } = stats;
  const highest = Math.max(100, ...samples);
  return (
    <section>
      <h2>Input to photon</h2>
      {photon === undefined ? (
        <p className="stats-none">Press something</p>
      ) : (
        <>
          <p className="stats-photon">
            <strong>{Math.round(photon.p50)}</strong>
            <small> ms p50</small>
            <span>
              {Math.round(photon.p95)}
              <small> ms p95</small>
            </span>
          </p>
          <svg
            className="plot"
            viewBox={`0 0 ${PLOT.width} ${PLOT.height}`}
            role="img"
            aria-label={`The last ${samples.length} inputs, the slowest took ${Math.round(Math.max(...samples))} milliseconds`}
          >
            <path className="plot-area" d={`${plotPath(samples, { ...PLOT, highest })} V${PLOT.height} H0 Z`} />
            <path className="plot-line" d={plotPath(samples, { ...PLOT, highest })} />
          </svg>
        </>
      )}
    </section>
  );
}

function rate(value: number | undefined): string {
  return value === undefined ? "–" : value.toFixed(1);
}
