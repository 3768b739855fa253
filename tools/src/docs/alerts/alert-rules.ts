import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { REPOSITORY_ROOT } from '../../system/processes.js';

const CHART = 'helm/settlement-bus-bridge';
const PAGES = 'docs/operate/alerts';

/** An alert rule for Prometheus. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  /** How long the condition must hold; absent: the alert fires at once. */
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    /** Path of the alert's page in the repository. */
    readonly runbook_url: string;
  };
}

/** The page of an alert: what it means, and what to do. */
export interface Runbook {
  /** Path in the repository. */
  readonly path: string;
  readonly text: string;
}

export function readAlertRules(): AlertRule[] {
  const { groups } = parse(read(`${CHART}/files/alert-rules.yaml`)) as {
    groups: { rules: AlertRule[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

/** Every page of an alert; README.md is the list of them. */
export function readRunbooks(): Runbook[] {
  return readdirSync(join(REPOSITORY_ROOT, PAGES))
    .filter((file) => file !== 'README.md')
    .map((file) => ({ path: `${PAGES}/${file}`, text: read(`${PAGES}/${file}`) }));
}

/** The reasons of operational alerts that a page names in its paragraph `Operational alerts:`. */
export function listReasons({ text }: Runbook): string[] {
  const paragraph = /^Operational alerts?: (?:.+\n?)+/m.exec(text)?.[0] ?? '';
  return [...paragraph.matchAll(/`([a-z-]+)`/g)].map(([, reason = '']) => reason);
}

function read(path: string): string {
  return readFileSync(join(REPOSITORY_ROOT, path), 'utf8');
}
