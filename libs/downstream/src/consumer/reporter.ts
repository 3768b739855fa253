import type { Reports } from './consumer-options.js';

type Name = keyof Reports;
type Listener<Report> = (report: Report) => void | Promise<void>;

/** What a report says to a person when nothing listens; undefined when it is no news. */
const WARNINGS: { readonly [Each in Name]: (report: Reports[Each]) => string | undefined } = {
  refused: ({ message, reason, detail }) => `the message ${message.id} was refused as ${reason}: ${detail}`,
  gap: ({ fqcn, after, upTo }) => `messages of ${fqcn} were missed, after ${after} up to ${upTo}`,
  fault: ({ reason, error, attempt }) => (attempt === undefined ? reason : `${reason}: ${String(error)}`),
  outdated: () => undefined,
  state: (state) =>
    state.state === 'disconnected'
      ? `no connection to the gateway (${state.reason}). The consumer keeps trying. Check url and the gateway.`
      : undefined,
};

/** Calls the listeners of a consumer. A report without a listener becomes a warning of the process, unless it repeats the previous one. */
export class Reporter {
  private readonly listeners: { readonly [Each in Name]: Listener<Reports[Each]>[] } = {
    refused: [],
    gap: [],
    state: [],
    fault: [],
    outdated: [],
  };

  private lastWarning: string | undefined;

  has(name: string): name is Name {
    return Object.hasOwn(this.listeners, name);
  }

  add<Each extends Name>(name: Each, listener: Listener<Reports[Each]>): void {
    this.listeners[name].push(listener);
  }

  /** Rejects when a listener fails. */
  async report<Each extends Name>(name: Each, report: Reports[Each]): Promise<void> {
    const listeners = this.listeners[name];
    if (listeners.length === 0) this.warn(WARNINGS[name](report));
    for (const listener of listeners) await listener(report);
  }

  /** As `report`; the failure of a listener becomes a warning. */
  notify<Each extends Name>(name: Each, report: Reports[Each]): void {
    this.report(name, report).catch((error: unknown) =>
      process.emitWarning(error instanceof Error ? error : String(error)),
    );
  }

  private warn(warning: string | undefined): void {
    if (warning === this.lastWarning) return;
    this.lastWarning = warning;
    if (warning !== undefined) process.emitWarning(warning, 'ConsumerWarning');
  }
}
