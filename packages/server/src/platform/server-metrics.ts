import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** Where gauges look when somebody asks. */
export interface GaugeSources {
  /** Sessions that are open. */
  readonly sessions: () => number;
  /** Session slots. */
  readonly sessionLimit: number;
  /** Viewers by transport. */
  readonly viewers: () => Readonly<Record<string, number>>;
  /** Loads under way. */
  readonly loads: () => number;
  /** Worlds that are loaded. */
  readonly loadedWorlds: () => number;
  /** Frames for media that were closed already. */
  readonly lateFrames: () => number;
  /** Slots that were given back twice. */
  readonly doubleReleases: () => number;
}

/** Bounds of the latency histograms, in seconds. */
const LATENCY_SECONDS = [0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5];

/** The counters of one server, in a registry of its own. */
export class ServerMetrics {
  /** Everything, for `/metrics`. */
  readonly registry = new Registry();
  /** Sessions that were started. */
  readonly sessionsStarted: Counter;
  /** Sessions that ended, by reason. */
  readonly sessionsEnded: Counter;
  /** Requests for a session that were refused, by error code. */
  readonly sessionsRefused: Counter;
  /** Frames handed to transports, by transport and codec. */
  readonly framesSent: Counter;
  /** Frames that were not sent, by reason. */
  readonly framesDropped: Counter;
  /** Bytes of encoded frames handed to transports. */
  readonly bytesSent: Counter;
  /** Key frames that were asked for, by what came of it. */
  readonly keyFrameRequests: Counter;
  /** Input messages, by what came of them. */
  readonly inputMessages: Counter;
  /** Pictures that were uploaded, by what came of them. */
  readonly uploads: Counter;
  /** HTTP requests by status. */
  readonly httpRequests: Counter;
  /** From reading a step's input to handing its frame to a transport. */
  readonly frameLatency: Histogram;
  /** Input to photon as players report it. */
  readonly inputToPhoton: Histogram;

  /** All counters are 0 at first. */
  constructor() {
    const registers = [this.registry];
    const counter = (name: string, help: string, labelNames: readonly string[] = []): Counter =>
      new Counter({ name: `dreamloop_${name}`, help, labelNames: [...labelNames], registers });
    const histogram = (name: string, help: string): Histogram =>
      new Histogram({ name: `dreamloop_${name}`, help, buckets: LATENCY_SECONDS, registers });
    this.sessionsStarted = counter("sessions_started_total", "Sessions that were started");
    this.sessionsEnded = counter("sessions_ended_total", "Sessions that ended, by reason", ["reason"]);
    this.sessionsRefused = counter("sessions_refused_total", "Requests for a session that were refused", ["code"]);
    this.framesSent = counter("frames_sent_total", "Frames handed to transports", ["transport", "codec"]);
    this.framesDropped = counter("frames_dropped_total", "Frames that were not sent, by reason", ["reason"]);
    this.bytesSent = counter("sent_bytes_total", "Bytes of encoded frames handed to transports");
    this.keyFrameRequests = counter("key_frame_requests_total", "Key frames asked for, by what came of it", [
      "outcome",
    ]);
    this.inputMessages = counter("input_messages_total", "Input messages, by what came of them", ["outcome"]);
    this.uploads = counter("uploads_total", "Pictures uploaded, by what came of them", ["outcome"]);
    this.httpRequests = counter("http_requests_total", "HTTP requests by status", ["status"]);
    this.frameLatency = histogram(
      "frame_latency_seconds",
      "From reading a step's input to handing its encoded frame to a transport",
    );
    this.inputToPhoton = histogram("input_to_photon_seconds", "Input to photon, medians that players report");
  }
}

/** Adds the gauges of a server to its counters; they ask `sources` whenever somebody looks. */
export function addServerGauges(registry: Registry, sources: GaugeSources): void {
  const registers = [registry];
  const gauge = (name: string, help: string, value: () => number): Gauge =>
    new Gauge({
      name: `dreamloop_${name}`,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  gauge("sessions_open", "Sessions that are open", sources.sessions);
  gauge("sessions_limit", "Session slots", () => sources.sessionLimit);
  gauge("world_loads_open", "Loads of worlds under way", sources.loads);
  gauge("worlds_loaded", "Worlds that are loaded", sources.loadedWorlds);
  gauge("late_frames", "Frames of sessions that were gone already; each is a fault of the server", sources.lateFrames);
  gauge("session_double_releases", "Slots that were given back twice", sources.doubleReleases);
  gauge("process_resident_memory_bytes", "Resident memory of the process", () => process.memoryUsage.rss());
  gauge("process_cpu_seconds", "Processor time of the process, all threads", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  const viewers = new Gauge({
    name: "dreamloop_viewers",
    help: "Viewers by transport",
    labelNames: ["transport"],
    registers,
    collect() {
      this.reset();
      for (const [transport, count] of Object.entries(sources.viewers())) this.set({ transport }, count);
    },
  });
  void viewers;
}
