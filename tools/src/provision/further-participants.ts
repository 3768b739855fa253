import { ensureSandboxCertificates, SecretsFolder, type CredentialFiles } from '@ssb/keys/deployment';
import { join } from 'node:path';

/** A participant beside the first one, with the access that CONFIG_FILE names for it. */
export interface FurtherParticipant {
  readonly code: string;
  readonly client: { readonly id: string; readonly secret: string; readonly secretFile: string };
  readonly certificate: CredentialFiles;
}

/** Creates what is missing of the participants `WPGENCO2`, `WPGENCO3` and so on, so that there are `count` with the first one. */
export async function ensureFurtherParticipants(
  folder: string,
  first: string,
  count: number,
): Promise<FurtherParticipant[]> {
  const secrets = new SecretsFolder(join(folder, 'secrets'));
  const participants: FurtherParticipant[] = [];
  for (let number = 2; number <= count; number += 1) {
    const code = `${first}${number}`;
    const name = `participant-client-${code}.secret`;
    const { participant } = await ensureSandboxCertificates(join(folder, 'tls'), {
      participant: code,
      now: new Date(),
    });
    participants.push({
      code,
      client: { id: code.toLowerCase(), secret: secrets.value(name), secretFile: secrets.ensureFile(name) },
      certificate: participant,
    });
  }
  return participants;
}
