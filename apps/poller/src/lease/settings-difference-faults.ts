import type { FaultReporter } from '@ssb/faults';
import type { SettingsAgreement } from './settings-agreement.js';

/** Reports participants for which the replicas have different settings. Each replica reports them. */
export class SettingsDifferenceFaults {
  /** Since when the settings differ, by participant and by the clock of `performance`. */
  private readonly since = new Map<string, number>();

  /** @param toleratedMs replicas read a changed file at different moments */
  constructor(
    private readonly agreement: SettingsAgreement,
    private readonly reporter: Pick<FaultReporter, 'raise' | 'clear'>,
    private readonly toleratedMs: number,
  ) {}

  check(participant: string): void {
    const fault = { reason: 'replicas-differ', participant } as const;
    const detail = this.agreement.describe(participant);
    if (detail === undefined) {
      this.since.delete(participant);
      this.reporter.clear(fault);
      return;
    }
    const since = this.since.get(participant) ?? performance.now();
    this.since.set(participant, since);
    if (performance.now() - since >= this.toleratedMs) this.reporter.raise({ ...fault, detail });
  }

  /** The participant was removed. */
  forget(participant: string): void {
    this.since.delete(participant);
  }
}
