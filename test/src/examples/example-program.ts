import { type EndedProcess, waitFor } from '@ssb/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** An example that `npm run check:deploy` has prepared: its packages are installed. */
export interface Example {
  readonly name: string;
  /** `service` reads the bus, `webhook` serves an address, `evidence` verifies a file and ends. */
  readonly kind: 'service' | 'webhook' | 'evidence';
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** The examples of the variable EXAMPLES. */
export function readExamples(kind: Example['kind']): Example[] {
  const text = process.env['EXAMPLES'];
  if (text === undefined)
    throw new Error('EXAMPLES is missing. Run npm run check:deploy -- --only examples.');
  return (JSON.parse(text) as Example[]).filter((example) => example.kind === kind);
}

/** Runs an example that ends by itself. */
export async function runExample(
  { command: [program = '', ...args], environment }: Example,
  further: readonly string[],
): Promise<EndedProcess> {
  const child = spawn(program, [...args, ...further], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, stdout, stderr };
}

/** What an example prints: one JSON object a line. */
interface Line {
  readonly event?: string;
  readonly refused?: string;
  readonly reason?: string;
}

/** A portable curve takes some milliseconds for a message, and more on a busy machine. */
const TIMEOUT_MS = 300_000;

/** A running example. */
export class ExampleProgram {
  /** Ids of events in the order of their lines. */
  readonly events: string[] = [];
  /** Reasons by the id of the refused message. */
  readonly refused = new Map<string, string>();
  /** Reasons in the order of their lines. */
  readonly reasons: string[] = [];
  private readonly child: ChildProcess;
  private errors = '';

  constructor(
    readonly example: Example,
    settings: Readonly<Record<string, string>>,
  ) {
    const [program = '', ...args] = example.command;
    this.child = spawn(program, args, {
      env: { PATH: process.env['PATH'], ...example.environment, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { stdout, stderr } = this.child;
    if (stdout) createInterface({ input: stdout }).on('line', (line) => this.read(line));
    stderr?.on('data', (chunk: Buffer) => (this.errors += chunk.toString()));
  }

  /** Waits for all verdicts. Fails when the program ends before. */
  async receive(count: number): Promise<void> {
    const state = (): string =>
      `${count} verdicts of ${this.example.name}: ${this.events.length} events, ${this.reasons.length} refused. ${this.errors}`;
    await waitFor(
      state,
      () => {
        if (this.child.exitCode !== null) throw new Error(`It ended while waiting for ${state()}`);
        return this.events.length + this.reasons.length >= count;
      },
      TIMEOUT_MS,
    );
  }

  /** Ends the program as an operator does. @throws Error when it does not end by itself, or ends with an error */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.end();
  }

  /** Waits until the program ends by itself. @throws Error when it ends with an error */
  async end(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close');
    const { exitCode, signalCode } = this.child;
    if (exitCode !== 0 && signalCode !== 'SIGTERM')
      throw new Error(`${this.example.name} ended with ${exitCode ?? signalCode}. ${this.errors}`);
  }

  private read(text: string): void {
    const line = JSON.parse(text) as Line;
    if (line.event !== undefined) this.events.push(line.event);
    if (line.reason === undefined) return;
    this.refused.set(line.refused ?? '', line.reason);
    this.reasons.push(line.reason);
  }
}
