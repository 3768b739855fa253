import { renderRow } from '@ssb/platform';

const PROGRESS_WIDTHS = [32, 7, 7];

/** Prints the steps of a start with their durations. */
export class Progress {
  private readonly started = Date.now();

  constructor(private readonly write: (text: string) => void) {}

  /** Runs one step and prints its line, also after a failure. @param describe text for the end of the line */
  async step<T>(name: string, work: () => Promise<T>, describe?: (result: T) => string): Promise<T> {
    const stepStarted = Date.now();
    try {
      const result = await work();
      this.printStep('✓', name, stepStarted, describe?.(result));
      return result;
    } catch (error) {
      this.printStep('✗', name, stepStarted);
      throw error;
    }
  }

  print(text: string): void {
    this.write(`  ${text}\n`);
  }

  private printStep(mark: string, name: string, stepStarted: number, detail = ''): void {
    const secondsSince = (time: number): string => `${((Date.now() - time) / 1_000).toFixed(1)} s`;
    const cells = [`  ${mark} ${name}`, secondsSince(stepStarted), secondsSince(this.started), detail];
    this.write(`${renderRow(cells, PROGRESS_WIDTHS)}\n`);
  }
}
