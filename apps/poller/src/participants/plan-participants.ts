import {
  findDetectionSettings,
  findParticipant,
  type DetectionSettings,
  type OperatorConfig,
} from '@ssb/config';
import { ConfigurationError } from '@ssb/platform';
import { accessOfConfig, accessOfSettings, type ParticipantAccess } from '../market/participant-access.js';
import type { Settings } from '../settings.js';

/** A participant that this replica polls. */
export interface PlannedParticipant {
  readonly code: string;
  readonly access: ParticipantAccess;
  /** Whether the access comes from the settings of the poller. Then its files must be usable at the start. */
  readonly isOfSettings: boolean;
  readonly detection: DetectionSettings;
}

/** PARTICIPANT, or all participants of CONFIG_FILE. @throws ConfigurationError */
export function planParticipants(settings: Settings, config: OperatorConfig): readonly PlannedParticipant[] {
  const { PARTICIPANT: only, CONFIG_FILE: file } = settings;
  if (only !== undefined && findParticipant(config, only) === undefined)
    throw new ConfigurationError(`${file} does not name participant ${only}; add it under participants.`);
  const codes = listPolledCodes(settings, config);
  const polled = config.participants.filter(({ code }) => codes.includes(code));
  const withoutAccess = polled.filter(({ access }) => access === undefined).map(({ code }) => code);
  if (withoutAccess.length > 1)
    throw new ConfigurationError(
      `${withoutAccess.length} participants of ${file} have no access (${withoutAccess.slice(0, 5).join(', ')}${withoutAccess.length > 5 ? ', …' : ''}), and the settings of the poller hold the access of one: add access to the others, or set PARTICIPANT.`,
    );
  return polled.flatMap(({ code, access }) => {
    const detection = findDetectionSettings(config, code);
    if (detection === undefined) return [];
    return [
      {
        code,
        access: access === undefined ? accessOfSettings(code, settings) : accessOfConfig(access, settings),
        isOfSettings: access === undefined,
        detection,
      },
    ];
  });
}

/** The codes of PARTICIPANT, or of all participants of CONFIG_FILE. */
export function listPolledCodes(
  { PARTICIPANT: only }: Pick<Settings, 'PARTICIPANT'>,
  { participants }: Pick<OperatorConfig, 'participants'>,
): readonly string[] {
  return participants.map(({ code }) => code).filter((code) => only === undefined || code === only);
}
