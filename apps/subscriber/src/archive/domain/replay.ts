/** An event whose id is not in the inbox. */
export interface UnknownEvent {
  /** Sorts as text. */
  readonly sequence: string;
  /** RFC 3339. */
  readonly signedat: string;
}

/** Whether the id of an event may have been deleted, so that its absence does not show that the event is new. */
export function mayBeDeleted(
  { signedat }: Pick<UnknownEvent, 'signedat'>,
  heldSince: Date | undefined,
): boolean {
  return heldSince !== undefined && Date.parse(signedat) < heldSince.getTime();
}

/**
 * Whether an event may be a replay. An event that others overtook has a lower sequence too, but its id would still be held.
 * @param heldSince ids of events of its type that were signed before this time may have been deleted; undefined when none is ever deleted
 * @param highest the highest archived sequence of its subject
 */
export function isReplay(
  event: UnknownEvent,
  heldSince: Date | undefined,
  highest: string | undefined,
): boolean {
  return mayBeDeleted(event, heldSince) && highest !== undefined && event.sequence <= highest;
}
