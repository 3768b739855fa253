import { runCommand } from '../../check/run-command.js';
import { CheckFailure, type DeployCheck } from '../deploy-check.js';
import { findLicenceProblems } from './licences.js';
import { findLockProblems, readProductionPackages } from './lock-file.js';

export const SUPPLY_CHAIN: DeployCheck = {
  name: 'supply-chain',
  description: 'licences, install scripts, checksums and advisories of the production dependencies',
  run: async () => {
    const packages = readProductionPackages();
    const audit = await runAudit();
    const problems = [...findLicenceProblems(packages), ...findLockProblems(packages), ...audit.problems];
    if (audit.notChecked !== undefined && process.env['AUDIT_REQUIRED'] === 'true')
      problems.push(audit.notChecked);
    if (problems.length > 0) throw new CheckFailure(problems.join('\n'));
    return `${packages.length} production packages. ${audit.notChecked ?? 'Advisories checked'}`;
  },
};

/** Advisories that do not concern this project, by their address, each with the reason. */
const EXPLAINED: Readonly<Record<string, string>> = {};

interface Advisory {
  readonly name: string;
  readonly severity: string;
  readonly title: string;
  readonly url: string;
}

/** What `npm audit --json` prints: a report, or why there is none. */
interface AuditOutput {
  readonly vulnerabilities?: Readonly<Record<string, { readonly via: readonly (string | Advisory)[] }>>;
  readonly message?: string;
}

export interface AuditResult {
  /** One sentence for each high or critical advisory that is not explained. */
  readonly problems: readonly string[];
  /** Set when the registry gives no advisories. */
  readonly notChecked?: string;
}

/** Evaluates what `npm audit --json` printed. */
export function evaluateAudit(output: string, explained = EXPLAINED): AuditResult {
  const { vulnerabilities, message = output.trim().slice(-300) } = parse(output);
  if (vulnerabilities === undefined)
    return {
      problems: [],
      notChecked: `Advisories NOT CHECKED: ${message}. Run "npm audit --omit=dev" with a registry that offers them.`,
    };
  const problems = Object.values(vulnerabilities)
    .flatMap(({ via }) => via)
    .filter((via) => typeof via !== 'string')
    .filter(({ severity, url }) => /^(high|critical)$/.test(severity) && !(url in explained))
    .map(
      ({ name, severity, title, url }) =>
        `${name} has a ${severity} advisory: ${title}, ${url}. Update it, or explain it.`,
    );
  return { problems: [...new Set(problems)] };
}

function parse(output: string): AuditOutput {
  try {
    return JSON.parse(output) as AuditOutput;
  } catch {
    return {};
  }
}

/** At the registry that npm is configured with. */
async function runAudit(): Promise<AuditResult> {
  // npm ends with status 1 when it finds something, so only its output counts.
  const { output, standardOutput } = await runCommand(
    'npm',
    ['audit', '--package-lock-only', '--omit=dev', '--audit-level=high', '--json'],
    { timeoutMs: 120_000, maxOutputLength: 16 * 1024 * 1024 },
  );
  return evaluateAudit(standardOutput || output);
}
