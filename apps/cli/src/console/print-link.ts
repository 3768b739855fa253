import { createSignInLink, localOperator, signInAddress, SIGN_IN_LINK_LIFETIME_MS } from '@ssb/keys';
import { ConfigurationError, readSettings } from '@ssb/platform';
import { standardError, standardOutput } from '@ssb/platform/cli';
import { apiSettings, commandEnvironment, consoleSettings } from '../settings.js';

const MINUTES = SIGN_IN_LINK_LIFETIME_MS / 60_000;

/** Prints a new one-time link. @throws ConfigurationError without a running `npm start` */
export async function printLink(): Promise<void> {
  const definition = { ...apiSettings, ...consoleSettings };
  const { BUSBRIDGE_URL: url, SIGN_IN_LINK_FILE: file } = readSettings(definition, commandEnvironment());
  if (url === undefined || file === undefined)
    throw new ConfigurationError(
      'There is no npm start whose console can be opened: run npm start in this clone, or give its data folder as BUSBRIDGE_DATA.',
    );
  const operator = localOperator();
  const token = await createSignInLink(file, operator, new Date());
  standardOutput.writeLine(signInAddress(url, token));
  standardError.writeLine(
    `It signs ${operator.name} in once, within ${MINUTES} minutes, in a browser on this machine.`,
  );
}
