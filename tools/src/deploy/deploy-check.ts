import type { Program } from '../programs/required-programs.js';
import type { RenderedChart } from './chart/rendered-chart.js';
import type { Tool } from './tools/tool-cache.js';

/** One check of `npm run check:deploy`. */
export interface DeployCheck {
  /** As `--only` takes it. */
  readonly name: string;
  /** As `--list` prints it. */
  readonly description: string;
  /** Debian programs that it runs. */
  readonly programs?: readonly Program[];
  /** Tools that it runs; they are built before the first check. */
  readonly tools?: readonly Tool[];
  /**
   * @returns what was checked, in a few words
   * @throws {CheckFailure} when there are findings
   */
  readonly run: (context: CheckContext) => Promise<string>;
}

export interface CheckContext {
  /** Empty folder for files of the checks, removed after the run. */
  readonly folder: string;
  /** Path of a tool that the check names. */
  readonly findTool: (tool: Tool) => Promise<string>;
  /** Path of a Debian program that the check names. */
  readonly findProgram: (program: Program) => string;
  readonly chart: RenderedChart;
  /** Folder for data that later runs use. */
  readonly cacheFolder: string;
  /** Prints a line of progress; for checks that take minutes. */
  readonly print: (line: string) => void;
}
