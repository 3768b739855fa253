import { findProfile } from '../lookup.js';
import { error, warning, type ConfigIssue } from '../config-issue.js';
import { isUnknown } from '../placeholders.js';
import type { OperatorConfig } from '../schema.js';
import type { DetectionOptions } from './detection-schema.js';
import { compareThresholds, parseThreshold } from './threshold.js';

type Margin = NonNullable<DetectionOptions['margin']>;

/** Margin thresholds that contradict each other, those of `defaults` and of each profile once. */
export function findThresholdIssues(config: OperatorConfig): ConfigIssue[] {
  const { defaults, profiles = {}, participants } = config;
  const shared = defaults?.margin ?? {};
  return [
    ...compareLevels(shared, {}, ['defaults', 'margin']),
    ...Object.entries(profiles).flatMap(([name, { margin = {} }]) =>
      compareLevels(margin, shared, ['profiles', name, 'margin']),
    ),
    ...participants.flatMap(({ margin = {}, profile }, index) =>
      compareLevels(margin, { ...shared, ...findProfile(config, profile).margin }, [
        'participants',
        index,
        'margin',
      ]),
    ),
  ];
}

/** The issues of thresholds of which at least one is set here. */
function compareLevels(own: Margin, shared: Margin, path: readonly PropertyKey[]): ConfigIssue[] {
  if (own.warning === undefined && own.breach === undefined) return [];
  const { warning: warn, breach } = { ...shared, ...own };
  if (warn === undefined || breach === undefined || isUnknown(warn) || isUnknown(breach)) return [];
  const order = compareThresholds(parseThreshold(breach), parseThreshold(warn));
  if (order === 1)
    return [
      own.breach === undefined
        ? error([...path, 'warning'], `is ${warn}, below breach ${breach}; it must lie above breach`)
        : error([...path, 'breach'], `is ${breach}, above warning ${warn}; it must lie below warning`),
    ];
  if (order === 0)
    return [
      own.breach === undefined
        ? warning([...path, 'warning'], `equals breach ${breach}, so a margin is never only WARNING`)
        : warning([...path, 'breach'], `equals warning ${warn}, so a margin is never only WARNING`),
    ];
  return [];
}
