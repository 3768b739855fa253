import { StyledText, type Style } from '@ssb/platform/cli';
import type { ApiOptions } from '../commands/api-command.js';
import { EXIT } from '../exit.js';
import { printResult } from '../output/listing.js';
import { renderParts } from '../output/text.js';
import { bounded, GROUPS, OUTCOMES, type CheckResult, type Outcome } from './check-result.js';
import { walkChecklist } from './go-live-checklist.js';

/** Runs all checks at once, and prints one line for each. */
export async function examine(options: ApiOptions): Promise<void> {
  const [{ checkApi }, { checkSettings }] = await Promise.all([
    import('./check-api.js'),
    import('./check-settings.js'),
    // What the checks load themselves.
    import('../api/api-client.js'),
    import('../api/connect.js'),
  ]);
  const found = await Promise.all([
    bounded('Archive API', 'connection', () => checkApi(options)),
    checkSettings(),
  ]);
  const checks = found.flat();
  const results = [...checks, ...walkChecklist(checks)];
  const counts = Object.fromEntries(
    OUTCOMES.map((outcome) => [outcome, checks.filter((each) => each.outcome === outcome).length]),
  ) as Record<Outcome, number>;
  printResult({ counts, results }, options.output, () => render(results, counts));
  if (counts.wrong > 0) process.exitCode = EXIT.findings;
}

const NAMES: Readonly<Record<Outcome, readonly [name: string, style: Style]>> = {
  wrong: ['wrong', 'bad'],
  warning: ['warning', 'warning'],
  'not-checked': ['not checked', 'dim'],
  'by-hand': ['by hand', 'dim'],
  ok: ['ok', 'good'],
};
const NAME_WIDTH = Math.max(...Object.values(NAMES).map(([name]) => name.length));

function render(results: readonly CheckResult[], counts: Readonly<Record<Outcome, number>>): StyledText {
  const groups = GROUPS.map((group) => {
    const lines = results.filter((each) => each.group === group).map(renderLine);
    return [group, lines.length === 0 ? undefined : StyledText.join(lines, '\n')] as const;
  });
  const { wrong, warning } = counts;
  const sentence =
    wrong > 0
      ? `${wrong} wrong, ${warning} to look at: correct the lines that begin with "wrong" first.`
      : warning > 0
        ? `Nothing is wrong, ${warning} to look at.`
        : 'Nothing that was checked is wrong.';
  const left = `${counts['not-checked']} not checked: their lines name the setting.`;
  const end = counts['not-checked'] > 0 ? `${sentence} ${left}` : sentence;
  return renderParts([...groups, ['', StyledText.of(end, wrong > 0 ? 'bad' : 'heading')]]);
}

function renderLine({ check, outcome, detail }: CheckResult): StyledText {
  const [name, style] = NAMES[outcome];
  return StyledText.join(
    [StyledText.of(name, style).pad(NAME_WIDTH), StyledText.of(`${check}: ${detail}`)],
    '  ',
  );
}
