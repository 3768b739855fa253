import { setTimeout as pause } from 'node:timers/promises';
import { standardOutput, StyledText } from '@ssb/platform/cli';
import type { ApiClient } from '../api/api-client.js';
import { withApi, type ApiOptions } from '../commands/api-command.js';
import { CommandError, EXIT } from '../exit.js';
import { printResult } from '../output/listing.js';
import { renderStatus } from './render-status.js';

export interface StatusOptions extends ApiOptions {
  readonly watch?: true;
}

const WATCH_INTERVAL_MS = 2_000;

export function showStatus(options: StatusOptions): Promise<void> {
  return withApi(options, async (api) => {
    if (options.watch) return watch(api, options);
    const status = await api.get('/v1/status');
    printResult(status, options.output, () => renderStatus(status, standardOutput.width));
    if (status.state === 'failing') process.exitCode = EXIT.findings;
  });
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
          : renderStatus(status, standardOutput.width);
    } catch (error) {
      if (!(error instanceof CommandError) || error.status !== EXIT.unreachable) throw error;
      text = StyledText.of(error.message, 'bad');
    }
    standardOutput.clearScreen();
    standardOutput.writeLine(text);
    await pause(WATCH_INTERVAL_MS);
  }
}
