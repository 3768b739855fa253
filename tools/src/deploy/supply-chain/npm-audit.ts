import { z } from 'zod';
import { runCommand } from '../../check/run-command.js';

/** Advisories that do not concern this project, by their address, each with the reason. */
const EXPLAINED: Readonly<Record<string, string>> = {};

export type AuditResult =
  | {
      readonly kind: 'checked';
      readonly advisories: readonly Advisory[];
      readonly problems: readonly string[];
    }
  /** The registry gives no advisories, or none could be read. */
  | { readonly kind: 'unavailable'; readonly reason: string };

export interface Advisory {
  readonly packageName: string;
  readonly severity: string;
  readonly title: string;
  readonly url: string;
}

const advisory = z.object({ name: z.string(), severity: z.string(), title: z.string(), url: z.string() });
const report = z.object({
  vulnerabilities: z.record(z.string(), z.object({ via: z.array(z.union([z.string(), advisory])) })),
});
const failure = z.object({ message: z.string() });

/** Characters of npm's output in a reason. */
const MAX_REASON_LENGTH = 300;

const SEVERE: ReadonlySet<string> = new Set(['high', 'critical']);

/** Evaluates what `npm audit --json` printed: high and critical advisories that are not explained. */
export function parseAudit(output: string, explained = EXPLAINED): AuditResult {
  const value = parseJson(output);
  const result = report.safeParse(value);
  if (!result.success) {
    const failed = failure.safeParse(value);
    return {
      kind: 'unavailable',
      reason: failed.success
        ? failed.data.message
        : `npm audit printed no report: ${output.trim().slice(-MAX_REASON_LENGTH) || 'nothing'}`,
    };
  }
  const found = Object.values(result.data.vulnerabilities)
    .flatMap(({ via }) => via)
    .filter((via) => typeof via !== 'string')
    .filter(({ severity }) => SEVERE.has(severity));
  const advisories = new Map(
    found
      .filter(({ url }) => !(url in explained))
      .map(({ name, ...rest }) => [rest.url, { packageName: name, ...rest }]),
  );
  const problems = Object.keys(explained)
    .filter((url) => !found.some((each) => each.url === url))
    .map((url) => `npm audit does not report ${url} any more. Remove it from EXPLAINED.`);
  return { kind: 'checked', advisories: [...advisories.values()], problems };
}

const AUDIT = ['audit', '--package-lock-only', '--omit=dev', '--audit-level=high', '--json'];
const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_LENGTH = 16 * 1024 * 1024;

/** Runs `npm audit` on package-lock.json, at the registry that npm is configured with. */
export async function runAudit(): Promise<AuditResult> {
  // npm ends with status 1 when it finds something, so only its output counts.
  const { output, standardOutput } = await runCommand('npm', AUDIT, {
    timeoutMs: TIMEOUT_MS,
    maxOutputLength: MAX_OUTPUT_LENGTH,
  });
  return parseAudit(standardOutput || output);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
