/** What handling an event came to. A handler that throws counts as `retry`: what nobody foresaw must not drop an event. */
export type Handled =
  | { readonly outcome: 'delivered' }
  | { readonly outcome: 'retry'; readonly reason: string }
  | { readonly outcome: 'dead-letter'; readonly reason: string };

/** The event was not delivered this time and is tried again after a backoff. */
export class DeliveryPostponedError extends Error {
  override readonly name = 'DeliveryPostponedError';

  constructor(
    readonly eventId: string,
    readonly reason: string,
  ) {
    super(reason);
  }
}
