import { error, type ConfigIssue } from '../config-issue.js';
import { findProfile } from '../lookup.js';
import type { OperatorConfig } from '../schema.js';
import type { DetectionOptions } from './detection-schema.js';
import { findDisagreementWindows } from './find-detection-settings.js';

/** Reminders that would come before the window begins, those of `defaults` and of each profile once. */
export function findDisagreementIssues(config: OperatorConfig): ConfigIssue[] {
  const { defaults = {}, profiles = {}, participants } = config;
  return [
    ...compareReminders(['defaults'], defaults),
    ...Object.entries(profiles).flatMap(([name, profile]) =>
      compareReminders(['profiles', name], profile, defaults),
    ),
    ...participants.flatMap((own, index) =>
      compareReminders(['participants', index], own, defaults, findProfile(config, own.profile)),
    ),
  ];
}

/** The issues of windows or reminders that are set here. */
function compareReminders(
  path: readonly PropertyKey[],
  own: DetectionOptions,
  ...shared: readonly DetectionOptions[]
): ConfigIssue[] {
  const { disagreement } = own;
  if (disagreement === undefined) return [];
  const windows = Object.entries(findDisagreementWindows(...shared, own)).flatMap(([market, designations]) =>
    Object.entries(designations).map(([designation, window]) => ({
      names: [market, designation],
      ...window,
    })),
  );
  return windows.flatMap(({ names, businessDays, remind }) => {
    const early = remind.filter((days) => days >= businessDays);
    const entry = findEntry(disagreement, names);
    if (early.length === 0 || (entry === undefined && disagreement.remind === undefined)) return [];
    const [run, days] = [names.join(' '), early.join(', ')];
    const place = [...path, 'disagreement', ...(entry === undefined ? [] : ['markets', ...names])];
    return [
      entry === undefined || entry.remind !== undefined
        ? error(
            [...place, 'remind'],
            `has ${days}, but ${run} has only ${businessDays} business days; each reminder must be less`,
          )
        : error(
            [...place, 'businessDays'],
            `is ${businessDays}, but the reminders have ${days}; give ${run} a list remind with smaller numbers`,
          ),
    ];
  });
}

function findEntry(
  { markets = {} }: NonNullable<DetectionOptions['disagreement']>,
  [market = '', designation = '']: readonly string[],
): { readonly remind?: readonly number[] | undefined } | undefined {
  const designations = (markets as Readonly<Record<string, object | undefined>>)[market];
  return (designations as Readonly<Record<string, { readonly remind?: number[] } | undefined>>)?.[
    designation
  ];
}
