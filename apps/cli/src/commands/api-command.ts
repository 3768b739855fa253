import { Argument, type Command } from 'commander';
import type { ApiClient } from '../api/api-client.js';
import {
  addOutput,
  LISTING_FORMS,
  parseLimit,
  parseSeconds,
  type OutputForm,
  type OutputOptions,
} from '../options.js';

/** Of every command that uses the archive API. */
export interface ApiOptions extends OutputOptions {
  readonly profile?: string;
}

/** Of a listing. */
export interface ListOptions extends ApiOptions {
  readonly limit: number;
  readonly cursor?: string;
}

/** Of a command that the subscriber carries out. */
export interface RequestOptions extends ApiOptions {
  readonly comment?: string;
  /** Seconds. */
  readonly wait: number;
}

export interface ApiCommandText {
  readonly description: string;
  /** Sentences above the examples. */
  readonly details?: string;
  /** Without the name of the program. */
  readonly examples: readonly string[];
}

/** A subcommand that uses the archive API. @param nameAndArguments as commander takes them: `show <id>` */
export function apiCommand(
  parent: Command,
  nameAndArguments: string,
  text: ApiCommandText,
  forms?: readonly OutputForm[],
): Command {
  return describe(parent.command(nameAndArguments), text, forms);
}

/** As `apiCommand`, for a command without subcommands. */
export function describe(
  command: Command,
  { description, details, examples }: ApiCommandText,
  forms?: readonly OutputForm[],
): Command {
  const lines = [
    ...(details === undefined ? [] : ['', details]),
    '',
    'Examples:',
    ...examples.map((example) => `  busbridge ${example}`),
  ];
  const described = command
    .description(description)
    .option('--profile <name>', 'the bridge: a profile of profiles.yaml')
    .addHelpText('after', lines.join('\n'));
  return addOutput(described, forms);
}

/** A listing of the archive API. */
export function listCommand(
  parent: Command,
  nameAndArguments: string,
  text: ApiCommandText,
  hasCsv = true,
): Command {
  return addPaging(apiCommand(parent, nameAndArguments, text, hasCsv ? LISTING_FORMS : undefined));
}

/** For a command that is a listing itself: `list` may follow, as it does elsewhere. The action gets it before the options. */
export const allowList = (command: Command): Command =>
  command.addArgument(new Argument('[list]', 'may be left out').choices(['list']));

/** @param maxLimit of `--limit` */
export const addPaging = (command: Command, maxLimit?: number): Command =>
  command
    .option('--limit <number>', 'how many rows at most', parseLimit(maxLimit), 50)
    .option('--cursor <cursor>', 'continue a listing, as its end says');

/** A command that adds a request, which the subscriber carries out. @param waitSeconds default of `--wait` */
export function requestCommand(
  parent: Command,
  nameAndArguments: string,
  text: ApiCommandText,
  waitSeconds?: number,
): Command {
  return addRequestOptions(apiCommand(parent, nameAndArguments, text), waitSeconds);
}

export const addRequestOptions = (command: Command, waitSeconds = 60): Command =>
  command
    .option('--comment <text>', 'why; it is in the audit log')
    .option('--wait <seconds>', 'how long to wait for the result', parseSeconds, waitSeconds);

/** Runs the work of a command with the archive API. @param timeoutMs of each request; by default that of the longest one */
export async function withApi(
  { profile }: ApiOptions,
  work: (api: ApiClient) => Promise<void>,
  timeoutMs?: number,
): Promise<void> {
  const [{ ApiClient }, { findApiAccess }] = await Promise.all([
    import('../api/api-client.js'),
    import('../api/connect.js'),
  ]);
  const api = new ApiClient(findApiAccess(profile), timeoutMs);
  try {
    await work(api);
  } finally {
    await api.close();
  }
}
