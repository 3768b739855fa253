import { inspect } from 'node:util';
import { escapeLine, escapeLines, toPrintable } from '@ssb/net/printable';
import { StyledText } from './styled-text.js';

const ERASE_LINE = '\r\u001b[K';
const CLEAR_SCREEN = '\u001b[H\u001b[2J';

interface TextStream {
  write(content: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The only way from a command to a terminal: text from outside cannot move the cursor, hide lines or add lines of its own. */
export class TextOutput {
  /**
   * @param open the stream, which Node opens at its first use
   * @param environment has NO_COLOR, TERM and COLUMNS
   */
  constructor(
    private readonly open: () => TextStream,
    private readonly environment: Readonly<Record<string, string | undefined>> = process.env,
  ) {}

  get isTerminal(): boolean {
    return this.open().isTTY === true;
  }

  /** Characters of a line: those of COLUMNS, otherwise of the terminal; undefined for a file or a pipe. */
  get width(): number | undefined {
    const columns = Number(this.environment['COLUMNS']);
    return columns > 0 ? columns : this.isTerminal ? this.open().columns : undefined;
  }

  /** Only on a terminal, and never with NO_COLOR (no-color.org). */
  private get hasColours(): boolean {
    const { NO_COLOR: noColour, TERM: terminal } = this.environment;
    return this.isTerminal && !noColour && terminal !== 'dumb';
  }

  /** Writes text that has line ends of its own, such as a rendered table. */
  write(text: string | StyledText): void {
    if (typeof text === 'string') this.open().write(escapeLines(text));
    else this.open().write(this.hasColours ? text.coloured : text.plain);
  }

  /** Writes one line, also when the text has line ends. */
  writeLine(text: string | StyledText): void {
    const line = typeof text === 'string' ? StyledText.of(text) : text;
    this.write(StyledText.join([line, StyledText.of('')], '\n'));
  }

  /** Writes one line, in red on a terminal. */
  writeAlert(text: string): void {
    this.writeLine(StyledText.of(text, 'bad'));
  }

  /** Writes one line for each problem of a `ConfigurationError`, and the message of any other error. */
  writeError(error: unknown): void {
    const { problems } = error as { readonly problems?: readonly string[] };
    const lines = problems ?? [error instanceof Error ? error.message : String(error)];
    for (const line of lines) this.writeLine(line);
  }

  /** Replaces the current line of a terminal. Write a line end before anything else. */
  replaceLine(text: string): void {
    this.open().write(`${ERASE_LINE}${escapeLine(text)}`);
  }

  /** Only on a terminal. */
  clearScreen(): void {
    if (this.isTerminal) this.open().write(CLEAR_SCREEN);
  }

  writeJson(value: unknown, indent: number | undefined = 2): void {
    this.write(`${JSON.stringify(value, undefined, indent)}\n`);
  }

  /** Writes what a program reads, such as the text of a hash. A terminal shows text escaped, and no bytes. */
  writeExact(content: string | Uint8Array): void {
    if (!this.isTerminal) this.open().write(content);
    else if (typeof content === 'string') this.write(content);
  }
}

export const standardOutput = new TextOutput(() => process.stdout);
export const standardError = new TextOutput(() => process.stderr);

/**
 * Prepares the process of a command. A reader that ends (`… list | head`) ends it, which is not a failure. An error that nothing handles is
 * printed with escapes; Node prints it as it is.
 * @param exit ends the process when the reader ends; by default at once and with its exit status
 * @param onFailed called for each output that fails otherwise, as on a full disk; by default the error is thrown
 */
export function prepareCommand(
  exit: () => void = () => process.exit(),
  onFailed: (error: NodeJS.ErrnoException) => void = (error) => {
    throw error;
  },
): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') exit();
    else onFailed(error);
  });
  process.stderr.on('error', onFailed);
  process.on('uncaughtException', (error) => {
    standardError.write(`${inspect(error)}\n`);
    process.exit(1);
  });
}

/** Ends the process of a command once its outputs are written, also when work is left that the command has given up. */
export function endCommand(status: number): void {
  process.exitCode = status;
  process.stdout.write('', () => process.stderr.write('', () => process.exit()));
}

/** What this needs of a command of commander. */
interface CommandLine {
  readonly commands: readonly CommandLine[];
  configureOutput(configuration: {
    readonly writeOut: (text: string) => void;
    readonly writeErr: (text: string) => void;
  }): unknown;
}

/** In an error of commander. */
const REPEATED_ARGUMENT = /(?<= argument ')[^]*(?=' is invalid\.)/;
const MAX_ARGUMENT_LENGTH = 100;

/** Escapes help and errors of commander, which repeat arguments; a long argument is cut. */
export function escapeCommandOutput(command: CommandLine): void {
  command.configureOutput({
    writeOut: (text) => standardOutput.write(text),
    writeErr: (text) =>
      standardError.write(
        text.replace(REPEATED_ARGUMENT, (argument) => toPrintable(argument, MAX_ARGUMENT_LENGTH)),
      ),
  });
  for (const subcommand of command.commands) escapeCommandOutput(subcommand);
}
