import { SettingsError } from '@ssb/platform';
import { membersOfOtherMethods } from './domain/bus-method.js';
import type { Settings } from './settings.js';

/**
 * What no setting shows by itself: an issuer or creator of another DID method would never match anybody.
 * @throws SettingsError
 */
export function checkTogether(settings: Settings): void {
  const problems = (['ROLE_ISSUERS', 'CHANNEL_CREATORS'] as const).flatMap((name) =>
    membersOfOtherMethods(settings[name], settings.DID_METHOD).map(
      (did) => `${name} has ${did}, but DID_METHOD is ${settings.DID_METHOD}.`,
    ),
  );
  if (problems.length > 0) throw new SettingsError(problems);
}
