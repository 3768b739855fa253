import { SecretsFolder, toWebhookSecret } from '@ssb/keys/deployment';
import { join } from 'node:path';

/** Secrets of webhooks, one for each purpose: only the subscriber knows that of alerts. Missing ones are created in the data folder. */
export function ensureWebhookSecrets(data: string): { readonly alerts: string; readonly operations: string } {
  const secrets = new SecretsFolder(join(data, 'secrets'));
  return {
    alerts: secrets.value('webhook.secret', toWebhookSecret),
    operations: secrets.value('operations-webhook.secret', toWebhookSecret),
  };
}
