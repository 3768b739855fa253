import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { REPOSITORY_ROOT } from '../../system/processes.js';

/** Labels of an alert that fires. */
export type FiringAlert = Readonly<Record<string, string>> & { readonly alertname: string };

/** One of the values of a label, of which all others are refused. */
export interface LabelMatcher {
  readonly label: string;
  readonly values: readonly string[];
}

/** While an alert that matches `sources` fires, those that match `targets` with equal labels are not notified. */
export interface InhibitRule {
  readonly sources: readonly LabelMatcher[];
  readonly targets: readonly LabelMatcher[];
  readonly equal: readonly string[];
}

/** The list `inhibit_rules` of a file for Alertmanager. */
export function readInhibitRules(path: string): InhibitRule[] {
  const { inhibit_rules: rules } = parse(readFileSync(join(REPOSITORY_ROOT, path), 'utf8')) as {
    inhibit_rules: { source_matchers: string[]; target_matchers: string[]; equal: string[] }[];
  };
  return rules.map(({ source_matchers: sources, target_matchers: targets, equal }) => ({
    sources: sources.map(readMatcher),
    targets: targets.map(readMatcher),
    equal,
  }));
}

function readMatcher(text: string): LabelMatcher {
  const [, label = '', operator, values = ''] = /^(\w+) *(=~|=) *"([\w|-]+)"$/.exec(text) ?? [];
  if (operator === undefined)
    throw new Error(`The matcher ${text} has another form than name="value" or name=~"a|b".`);
  return { label, values: operator === '=' ? [values] : values.split('|') };
}

/** As Alertmanager decides: an absent label equals an empty one, and an alert that matches both sides does not inhibit itself. */
export function listInhibited(
  rules: readonly InhibitRule[],
  alerts: readonly FiringAlert[],
): Set<FiringAlert> {
  const matches = (alert: FiringAlert, matchers: readonly LabelMatcher[]): boolean =>
    matchers.every(({ label, values }) => values.includes(alert[label] ?? ''));
  return new Set(
    alerts.filter((target) =>
      rules.some(
        ({ sources, targets, equal }) =>
          matches(target, targets) &&
          alerts.some(
            (source) =>
              source !== target &&
              matches(source, sources) &&
              equal.every((label) => (source[label] ?? '') === (target[label] ?? '')),
          ),
      ),
    ),
  );
}
