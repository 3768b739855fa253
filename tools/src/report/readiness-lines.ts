import { renderRow } from '@ssb/platform';
import type { LinePrinter } from './event-lines.js';

/** The answer of an app at `/health`. */
export interface AppHealth {
  readonly checks: Readonly<Record<string, { readonly status: 'up' | 'down'; readonly message?: string }>>;
  readonly faults: readonly { readonly detail: string }[];
}

/** One failed probe can be a restart of a component. */
const MIN_PROBES = 2;
/** A reason with another age or count is the same reason. */
const NUMBERS = /\d+/g;
const READINESS_WIDTHS = [17, 27];

/** Shows the changes of the readiness of each app. */
export class ReadinessLines {
  private readonly shown = new Map<string, string>();
  private readonly failedProbes = new Map<string, number>();

  constructor(private readonly printer: LinePrinter) {}

  /** Prints a line when the failing checks or their reasons have changed. */
  record(app: string, health: AppHealth): void {
    const failing = listFailing(health);
    const probes = failing.length === 0 ? 0 : (this.failedProbes.get(app) ?? 0) + 1;
    this.failedProbes.set(app, probes);
    const reasons = failing.map(({ name, message }) => `${name}: ${message}`).join('  ');
    const compared = reasons.replace(NUMBERS, '0');
    if (compared === (this.shown.get(app) ?? '') || (probes > 0 && probes < MIN_PROBES)) return;
    this.shown.set(app, compared);
    if (failing.length === 0) this.printer.writeLine(renderRow([`   ${app}`, 'ready'], READINESS_WIDTHS));
    else this.printer.writeAlert(renderRow([`!! ${app}`, 'not ready', reasons], READINESS_WIDTHS));
  }
}

/** The checks that are down, without those whose reason is shown as a fault. */
function listFailing({ checks, faults }: AppHealth): { name: string; message: string }[] {
  return Object.entries(checks).flatMap(([name, { status, message = '' }]) =>
    status === 'up' || faults.some(({ detail }) => message.includes(detail)) ? [] : [{ name, message }],
  );
}
