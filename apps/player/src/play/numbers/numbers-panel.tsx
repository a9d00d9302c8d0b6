import type { EncoderStatus, PlaySession, PlayState, PlayStats } from "@dreamloop/client";
import { usePlayStats } from "@dreamloop/client/react";
import type { ReactNode } from "react";
import { usePreferences } from "../../preferences/preferences.tsx";
import { lookUp } from "../../text/messages.ts";
import { useText } from "../../text/text-provider.tsx";
import { SLOW_MOTION_SHARE, speedOf, type FrameRates } from "./frame-rates.ts";
import { plotPath } from "./plot.ts";
import { useFrameRates } from "./use-frame-rates.ts";

interface Measured {
  readonly stats: PlayStats;
  readonly rates: FrameRates | undefined;
}

/** Three numbers that say how it plays, and below them where the time goes. */
export function NumbersPanel(props: {
  readonly session: PlaySession;
  readonly state: PlayState | undefined;
}): ReactNode {
  const text = useText();
  const stats = usePlayStats(props.session);
  const rates = useFrameRates(props.session, props.state);
  const [{ showsDetails }, changePreferences] = usePreferences();
  return (
    <aside className="numbers" aria-label={text.bar.numbers} tabIndex={0}>
      {stats === undefined ? (
        <p>{text.numbers.measuring}</p>
      ) : (
        <>
          <PlainNumbers stats={stats} rates={rates} />
          <details
            open={showsDetails}
            onToggle={({ currentTarget: { open } }) => {
              if (open !== showsDetails) changePreferences({ showsDetails: open });
            }}
          >
            <summary>{text.numbers.details}</summary>
            <Details stats={stats} rates={rates} />
          </details>
        </>
      )}
    </aside>
  );
}

function PlainNumbers({ stats, rates }: Measured): ReactNode {
  const text = useText();
  const { numbers } = text;
  const target = stats.targetFramesPerSecond;
  const speed =
    rates === undefined || target === undefined ? undefined : speedOf(rates.generatedFramesPerSecond, target);
  const photon = stats.inputToPhoton;
  return (
    <dl className="numbers-plain">
      <div>
        <dt>{numbers.speed}</dt>
        <dd>
          <strong>{speed === undefined ? numbers.none : numbers.speedOf(speed)}</strong>
          {speed === undefined ? null : (
            <small>{speed < SLOW_MOTION_SHARE ? numbers.slowMotion : numbers.realTime}</small>
          )}
        </dd>
      </div>
      <div>
        <dt>{numbers.framesPerSecond}</dt>
        <dd>
          <strong>{rates === undefined ? numbers.none : numbers.rate(rates.shownFramesPerSecond)}</strong>
          {target === undefined ? null : <small>{numbers.framesOf(target)}</small>}
        </dd>
      </div>
      <div>
        <dt>{numbers.response}</dt>
        <dd>
          <strong>{photon === undefined ? numbers.none : numbers.milliseconds(photon.p50)}</strong>
          {photon === undefined ? <small>{numbers.responseNone}</small> : null}
        </dd>
      </div>
    </dl>
  );
}

function Details({ stats, rates }: Measured): ReactNode {
  const { numbers } = useText();
  const drops = Object.entries(stats.drops).filter(([, count]) => count > 0);
  const { encoderSettings, targetBitrateBitsPerSecond: bitrate } = stats;
  return (
    <>
      <section>
        <h2>{numbers.rates}</h2>
        <dl className="numbers-grid">
          <Row name={numbers.generated} value={rates && numbers.rate(rates.generatedFramesPerSecond)} />
          <Row name={numbers.shown} value={rates && numbers.rate(rates.shownFramesPerSecond)} />
        </dl>
      </section>
      <Times stats={stats} rates={rates} />
      <Response stats={stats} />
      <section>
        <h2>{numbers.drops}</h2>
        {drops.length === 0 ? (
          <p className="numbers-none">{numbers.noDrops}</p>
        ) : (
          <dl className="numbers-grid">
            {drops.map(([reason, count]) => (
              <Row
                key={reason}
                name={lookUp(numbers.dropReasons, reason) ?? reason.replaceAll("_", " ")}
                value={numbers.count(count)}
              />
            ))}
          </dl>
        )}
      </section>
      <section>
        <h2>{numbers.connection}</h2>
        <dl className="numbers-grid">
          <Row name={numbers.transport} value={stats.transport === "webrtc" ? "WebRTC" : "WebSocket"} />
          <Row name={numbers.codec} value={stats.codec} note={encoderSettings?.codecString} />
          {encoderSettings === undefined ? null : <EncoderRow encoder={encoderSettings} />}
          <Row name={numbers.bitrate} value={bitrate === undefined ? undefined : numbers.megabits(bitrate / 1e6)} />
          <Row name={numbers.lateSteps} value={numbers.count(stats.underrunCount)} />
          <Row name={numbers.viewers} value={viewersOf(stats, numbers.count)} />
        </dl>
      </section>
    </>
  );
}

/** Where it runs, and how many frames it holds back or takes out of order. */
function EncoderRow({ encoder }: { readonly encoder: EncoderStatus }): ReactNode {
  const { numbers } = useText();
  const held = encoder.lookAheadFrames + encoder.bFrames;
  return (
    <Row
      name={numbers.encoderKind}
      value={encoder.isHardware ? numbers.hardware : numbers.software}
      note={held === 0 ? numbers.noDelay : numbers.delay(held)}
    />
  );
}

function Row(props: {
  readonly name: string;
  /** What was measured; absent: nothing yet, which is not the same as 0. */
  readonly value: string | undefined;
  readonly note?: string | undefined;
}): ReactNode {
  const { numbers } = useText();
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>
        {props.value ?? numbers.none}
        {props.note === undefined ? null : <small> {props.note}</small>}
      </dd>
    </div>
  );
}

/** A number in words where it was measured; what was not measured yet is absent or 0. */
function positive(value: number | undefined, inWords: (value: number) => string): string | undefined {
  return value !== undefined && value > 0 ? inWords(value) : undefined;
}

/** Those who watch beside the player, whom the server counts as well. */
function viewersOf({ viewerCount }: PlayStats, inWords: (value: number) => string): string | undefined {
  return viewerCount > 0 ? inWords(viewerCount - 1) : undefined;
}

function Times({ stats, rates }: Measured): ReactNode {
  const { numbers } = useText();
  const stages = [
    { kind: "model", name: numbers.model, milliseconds: stats.modelMilliseconds },
    { kind: "encoder", name: numbers.encoder, milliseconds: stats.encodeMilliseconds },
    { kind: "network", name: numbers.network, milliseconds: stats.roundTripMilliseconds },
  ];
  return (
    <section>
      <h2>{numbers.timeHeading}</h2>
      <div className="stage-bar" aria-hidden="true">
        {stages.map(({ kind, milliseconds }) => (
          <span key={kind} className={`is-${kind}`} style={{ flexGrow: milliseconds ?? 0 }} />
        ))}
      </div>
      <dl className="numbers-grid">
        <Row name={numbers.wallTime} value={rates && numbers.millisecondsExact(rates.wallMilliseconds)} />
        {stages.map(({ kind, name, milliseconds }) => (
          <div key={kind} className={`has-mark is-${kind}`}>
            <dt>{name}</dt>
            <dd>{positive(milliseconds, numbers.millisecondsExact) ?? numbers.none}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const PLOT = { width: 208, height: 44 };
/** The time at the top of the plot, unless an input took longer, in milliseconds. */
const PLOT_MILLISECONDS = 100;

function Response({ stats }: { readonly stats: PlayStats }): ReactNode {
  const { numbers } = useText();
  const { inputToPhoton: photon, inputToPhotonSamples: samples } = stats;
  if (photon === undefined) return null;
  const highest = Math.max(PLOT_MILLISECONDS, ...samples);
  return (
    <section>
      <h2>{numbers.responseHeading}</h2>
      <dl className="numbers-grid">
        <Row name={numbers.median} value={numbers.milliseconds(photon.p50)} />
        <Row name={numbers.slowest} value={numbers.milliseconds(photon.p95)} />
      </dl>
      <svg
        className="plot"
        viewBox={`0 0 ${PLOT.width} ${PLOT.height}`}
        role="img"
        aria-label={numbers.plot(samples.length, Math.max(...samples))}
      >
        <path className="plot-area" d={`${plotPath(samples, { ...PLOT, highest })} V${PLOT.height} H0 Z`} />
        <path className="plot-line" d={plotPath(samples, { ...PLOT, highest })} />
      </svg>
    </section>
  );
}
