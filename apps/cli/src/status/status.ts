import { setTimeout as pause } from 'node:timers/promises';
import { standardOutput, StyledText } from '@ssb/platform/cli';
import type { ApiClient } from '../api/api-client.js';
import type { ProblemRow, Status } from '../api/operations.js';
import { withApi, type ApiOptions } from '../commands/api-command.js';
import { CommandError, EXIT } from '../exit.js';
import { printResult } from '../output/listing.js';
import { shortId, showAmount } from '../output/text.js';
import { renderStatus } from './render-status.js';

export interface StatusOptions extends ApiOptions {
  readonly watch?: true;
}

const WATCH_INTERVAL_MS = 2_000;

export function showStatus(options: StatusOptions): Promise<void> {
  return withApi(options, async (api) => {
    if (options.watch) return watch(api, options);
    const status = await api.get('/v1/status');
    const worst = options.output === 'json' ? undefined : await readWorst(api, status);
    printResult(status, options.output, () => renderStatus(status, worst, standardOutput.width));
    if (status.state === 'failing') process.exitCode = EXIT.findings;
  });
}

/** A line about the worst problem that nobody has acknowledged, when it is critical. When it cannot be read, the exit status is that of the error. */
async function readWorst(api: ApiClient, { archive }: Status): Promise<StyledText | undefined> {
  if (archive === undefined || archive.openProblems.unacknowledgedCritical === 0) return undefined;
  const query = { state: ['open'], severity: ['critical'], limit: 1 } as const;
  try {
    const [problem] = (await api.get('/v1/problems', { query })).items;
    return problem && describeWorst(problem);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    process.exitCode = error.status;
    return StyledText.of(`The worst problem could not be read: ${error.message}`, 'bad');
  }
}

function describeWorst({ id, kind, participant, level, worstMeasure }: ProblemRow): StyledText {
  const about = [participant, level, showAmount(worstMeasure)].filter(Boolean).join(', ');
  return StyledText.of(`Worst problem: ${kind} of ${about}: busbridge problems ack ${shortId(id)}`, 'bad');
}

/** Until Ctrl-C. An API that does not respond may respond again. */
async function watch(api: ApiClient, { output }: StatusOptions): Promise<never> {
  for (;;) {
    let text: StyledText;
    try {
      const status = await api.get('/v1/status');
      text =
        output === 'json'
          ? StyledText.of(JSON.stringify(status))
          : renderStatus(status, await readWorst(api, status), standardOutput.width);
    } catch (error) {
      if (!(error instanceof CommandError) || error.status !== EXIT.unreachable) throw error;
      text = StyledText.of(error.message, 'bad');
    }
    standardOutput.clearScreen();
    standardOutput.writeLine(text);
    await pause(WATCH_INTERVAL_MS);
  }
}
