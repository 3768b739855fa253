export { WebhookClient, type WebhookClientOptions, type WebhookMessage } from './webhook-client.js';
export type { DeliveryOutcome } from './delivery-outcome.js';
