import { readFileSync } from 'node:fs';
import { toPrintable } from '@ssb/net/printable';
import { StyledText } from '@ssb/platform/cli';
import {
  InvalidTrustError,
  Trust,
  verifyEvidence,
  type EvidenceKey,
  type EvidenceResult,
} from 'settlement-bus-downstream';
import { CommandError, EXIT } from '../exit.js';
import type { OutputOptions } from '../options.js';
import { printResult } from '../output/listing.js';
import { flattenMembers } from '../output/members.js';

export interface VerifyOptions extends OutputOptions {
  readonly trust?: string;
}

export function verify(file: string, { trust: trustFile, output }: VerifyOptions): void {
  try {
    const trust = trustFile === undefined ? {} : { trust: Trust.fromFile(trustFile) };
    const result = verifyEvidence(readFileSync(file), trust);
    printResult(result, output, () =>
      StyledText.join(
        describeResult(result).map((each) => StyledText.of(each)),
        '\n',
      ),
    );
    if (result.status === 'invalid') process.exitCode = EXIT.usage;
    else if (!result.ok) process.exitCode = 1;
  } catch (error) {
    throw new CommandError(`The evidence is not verified: ${describeError(error)}`, EXIT.usage);
  }
}

/** Also of an error that is not expected: its status must not be 1, which says that the file is undamaged. */
function describeError(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  if (error instanceof InvalidTrustError) return `${message}. Export it again.`;
  if (code !== undefined) return `${message}. Give files that exist and can be read.`;
  return `${String(error)}. Report this fault of the command to the project.`;
}

/** The file is untrusted text. */
const MAX_LINE_LENGTH = 500;
const line = (text: string): string => toPrintable(text, MAX_LINE_LENGTH);

function describeResult(result: EvidenceResult): string[] {
  if (result.status === 'invalid') return [`invalid: ${result.reason}. ${line(result.detail)}`];
  const { type, eventId, event, participant, gateway, origin, times, proved, notProved, notes } = result;
  return [
    result.ok ? 'verified: the event, not the records of its deliveries' : describeUnverified(result),
    line(`event      ${type} ${eventId} of ${participant}`),
    ...(typeof event.subject === 'string' ? [line(`subject    ${event.subject}`)] : []),
    ...(origin === undefined ? [] : [line(`bridge     ${describeKey(origin)}`)]),
    ...(gateway === undefined ? [] : [line(`gateway    ${describeKey(gateway)}`)]),
    ...section('Data:', listData(event.data)),
    ...section('Proved:', proved),
    ...section(
      'Claimed:',
      times.map(({ what, at, claimedBy }) => `${what} ${at}, says the ${claimedBy}`),
    ),
    ...section('Not proved:', notProved),
    ...section('Note:', notes),
  ];
}

function describeUnverified({ reason, detail }: Extract<EvidenceResult, { status: 'consistent' }>): string {
  if (reason === 'signer-not-verified') return 'consistent; signer not verified: no trust file was given.';
  return line(`consistent; signer not verified: ${reason}. ${detail}`);
}

const MAX_DATA_LINES = 30;

/** The figures and texts of the data, also those of objects in it. */
function listData(data: unknown): string[] {
  const members = flattenMembers(data);
  const shown = members.slice(0, MAX_DATA_LINES).map(([name, value]) => `${name}: ${String(value)}`);
  const left = members.length - shown.length;
  return left === 0 ? shown : [...shown, `${left} more: see --json`];
}

function section(title: string, sentences: readonly string[]): string[] {
  return sentences.length === 0 ? [] : [title, ...sentences.map((each) => `  - ${line(each)}`)];
}

function describeKey({ did, state, since, publicKey }: EvidenceKey): string {
  return `${did}, ${state}${since === undefined ? '' : ` since ${since}`}, public key ${publicKey}`;
}
