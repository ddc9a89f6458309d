import { inflateSync } from "node:zlib";
import type { Clock } from "../../core/runtime/runtime.js";
import type { StreamSink } from "../streams/stream-sink.js";
import type { FaultableFrame, FaultableStream } from "./fault-format.js";
import { drawDelayMs, type FaultSchedule, type Strike } from "./fault-schedule.js";
import type { Fault, FaultKind } from "./fault-shape.js";
import type { PendingTimers } from "./pending-timers.js";
import { strikesAccount } from "./strikes-account.js";

/** The longest time that a frame waits for another one to overtake it. */
const LONGEST_HOLD_MS = 1000;

/** Dependencies of {@link FaultyStream}. */
export interface FaultyStreamDeps {
  readonly sink: StreamSink;
  readonly stream: FaultableStream;
  readonly schedule: FaultSchedule;
  readonly clock: Clock;
  readonly timers: PendingTimers;
}

type Message = string | Uint8Array;

/** The socket under a stream, whose frames faults strike. */
export class FaultyStream implements StreamSink {
  readonly #deps: FaultyStreamDeps;
  /** True while a stall keeps the connection silent. */
  #isSilent: (() => boolean) | undefined;
  /** The frame that the next one overtakes. */
  #held: Message | undefined;
  #hasEnded = false;

  constructor(deps: FaultyStreamDeps) {
    this.#deps = deps;
  }

  send(text: string, stream?: string): void {
    if (this.#isUndisturbed()) this.#deps.sink.send(text);
    else this.#pass(text, text, stream);
  }

  sendBytes(bytes: Uint8Array): void {
    if (this.#isUndisturbed()) this.#deps.sink.sendBytes(bytes);
    else this.#pass(bytes, inflateSync(bytes).toString());
  }

  ping(): void {
    this.#deps.sink.ping();
  }

  close(code: number, reason: string): void {
    this.#hasEnded = true;
    this.#deps.sink.close(code, reason);
  }

  terminate(): void {
    this.#hasEnded = true;
    this.#deps.sink.terminate();
  }

  bufferedBytes(): number {
    return this.#deps.sink.bufferedBytes();
  }

  #isUndisturbed(): boolean {
    return (
      this.#deps.schedule.isIdle &&
      !this.#hasEnded &&
      this.#held === undefined &&
      this.#isSilent === undefined
    );
  }

  #pass(message: Message, text: string, name?: string): void {
    const { stream, schedule, clock, timers } = this.#deps;
    if (this.#hasEnded) return;
    if (stream.isHeartbeat(text)) return this.#deliver(message);
    const frame = stream.toFrame(text, name);
    const applies = (fault: Fault): boolean => appliesTo(fault, stream, frame);
    const strike = <Kind extends FaultKind>(kind: Kind): Strike<Kind> | undefined =>
      schedule.strike(kind, applies);
    if (this.#isSilent?.() === true) return;
    this.#isSilent = undefined;
    if (strike("stream-dropped") !== undefined) return this.#end(() => this.terminate());
    const closing = strike("stream-closed");
    if (closing !== undefined)
      return this.#end(() => this.close(closing.fault.code, "closed by a fault"));
    const stalled = strike("stream-stalled");
    if (stalled !== undefined) {
      const untilMs = clock.monotonicMs() + stalled.fault.stallMs;
      this.#isSilent = () => stalled.isCurrent() && clock.monotonicMs() < untilMs;
      return;
    }
    if (strike("frame-lost") !== undefined) return;
    const late = stream.isSnapshot(text) ? strike("snapshot-late") : undefined;
    if (late !== undefined) {
      timers.set(drawDelayMs(late), () => this.#deliver(message));
      return;
    }
    const garbled = strike("frame-garbled");
    const sent = garbled === undefined ? message : garble(text, garbled.random.uniform());
    const held = this.#held;
    if (held !== undefined) {
      this.#held = undefined;
      this.#deliver(sent);
      this.#deliver(held);
      return;
    }
    if (strike("frames-swapped") !== undefined) return this.#hold(sent);
    this.#deliver(sent);
    if (strike("frame-repeated") !== undefined) this.#deliver(sent);
  }

  #hold(message: Message): void {
    this.#held = message;
    this.#deps.timers.set(LONGEST_HOLD_MS, () => {
      if (this.#held !== message) return;
      this.#held = undefined;
      this.#deliver(message);
    });
  }

  /** Ends the connection, also one whose handshake is still to be answered. */
  #end(end: () => void): void {
    this.#hasEnded = true;
    this.#deps.timers.set(0, end);
  }

  #deliver(message: Message): void {
    if (this.#hasEnded) return;
    const { sink } = this.#deps;
    if (typeof message === "string") sink.send(message);
    else sink.sendBytes(message);
  }
}

function appliesTo(fault: Fault, stream: FaultableStream, frame: FaultableFrame): boolean {
  const streams = "streams" in fault ? fault.streams : undefined;
  if (streams !== undefined) {
    const { stream: name } = frame;
    if (name === undefined || !streams.includes(name)) return false;
  }
  return strikesAccount(fault, stream.interface, () => frame.account);
}

/** A frame that is cut off, or not JSON, or JSON of another form. */
function garble(text: string, draw: number): string {
  if (draw < 1 / 3) return text.slice(0, Math.floor(text.length / 2));
  return draw < 2 / 3 ? "\u0000\ufffd<html>" : '{"stream":7,"data":[null]}';
}
