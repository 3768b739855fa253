import { renderRow } from '@ssb/platform';

const PROGRESS_WIDTHS = [32, 7, 7];

/** Prints what is being done and how long each step took; silent when the output is for a program. */
export class Progress {
  private readonly started = Date.now();

  constructor(private readonly write: (text: string) => void) {}

  /** Runs one step and prints a line for it, also when it fails. */
  async step<T>(name: string, work: () => Promise<T>, detail?: (result: T) => string): Promise<T> {
    const from = Date.now();
    try {
      const result = await work();
      this.line('✓', name, from, detail?.(result));
      return result;
    } catch (error) {
      this.line('✗', name, from);
      throw error;
    }
  }

  note(text: string): void {
    this.write(`  ${text}\n`);
  }

  private line(mark: string, name: string, from: number, detail = ''): void {
    const seconds = (since: number): string => `${((Date.now() - since) / 1_000).toFixed(1)} s`;
    const cells = [`  ${mark} ${name}`, seconds(from), seconds(this.started), detail];
    this.write(`${renderRow(cells, PROGRESS_WIDTHS)}\n`);
  }
}
