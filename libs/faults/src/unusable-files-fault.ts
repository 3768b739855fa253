import type { AlertTopic } from '@ssb/events';
import { describeStartFailure } from '@ssb/platform';
import type { FaultReporter } from './fault-reporter.js';

/** Reports that files of a participant's access, or of a sink, cannot be used. Each replica reports its own files. */
export class UnusableFilesFault {
  /** Undefined before the first report. */
  private isRaised: boolean | undefined;

  constructor(
    /** The participant, or every participant and the sink. */
    private readonly about: Pick<AlertTopic, 'participant' | 'interface'>,
    private readonly reporter: Pick<FaultReporter, 'raise' | 'clear' | 'forget'>,
  ) {}

  /** @param problems why files are not used; empty when all are used */
  report(problems: readonly unknown[], usesPreviousFiles: boolean): void {
    const details = problems.map(describe);
    if (details.length > 0) {
      if (usesPreviousFiles) details.push('The previous files stay in use.');
      this.reporter.raise({ ...this.fault, detail: [...new Set(details)].join(' ') });
    } else if (this.isRaised !== false) this.reporter.clear(this.fault);
    this.isRaised = details.length > 0;
  }

  /** The participant or the sink was removed. */
  forget(): void {
    this.reporter.forget(this.fault);
    this.isRaised = undefined;
  }

  private get fault() {
    return { reason: 'credentials-unusable', ...this.about } as const;
  }
}

function describe(error: unknown): string {
  const problems = describeStartFailure(error)?.problems;
  return problems?.join(' ') ?? `${error instanceof Error ? error.message : 'unknown failure'}.`;
}
