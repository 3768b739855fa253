interface ReasonMeaning {
  readonly meaning: string;
  readonly advice: string;
}

const SENDERS =
  'If you trust the sender, name it in the senders of CONFIG_FILE; the subscriber then evaluates the message again.';
const FORGED = 'The message may be forged. If it comes from your own gateway, check SIGNATURE_SCHEME.';
const RELEASE = 'The sender may run a newer release: upgrade the subscriber, which then evaluates it again.';
const ROUTES = 'Compare the routes of CONFIG_FILE on both sides, correct them, and evaluate again.';
const REPORT = 'Report it with the detail below: it should not happen between bridges of the same release.';

/** What the reasons of the quarantine mean, and what to do. The first check that fails gives the reason. */
const REASONS: Readonly<Record<string, ReasonMeaning>> = {
  'signature-format': {
    meaning: 'The signature is not one that the bus makes, or recovers no signer.',
    advice: FORGED,
  },
  'signer-mismatch': {
    meaning: 'Another key signed the message than that of the gateway it names as its sender.',
    advice: FORGED,
  },
  'sender-not-allowed': {
    meaning: 'The gateway that posted the message is not trusted on this channel.',
    advice: SENDERS,
  },
  'not-an-event': {
    meaning: 'The payload is not one JSON object with unique names.',
    advice: 'Something other than a bridge posts to this channel: find out who owns the sender.',
  },
  'origin-proof': {
    meaning: 'The proof of the bridge that made the event is missing, or does not match the event.',
    advice: 'The event may have been changed or forged. Ask the owner of the sending bridge.',
  },
  'origin-not-allowed': {
    meaning: 'The bridge that the proof names is not trusted on this channel.',
    advice: SENDERS,
  },
  'unknown-type': { meaning: 'The catalogue does not have the type of the event.', advice: RELEASE },
  schema: {
    meaning: 'The event does not match the schema of its type, or its id and subject belong to another fact.',
    advice: RELEASE,
  },
  'participant-not-allowed': {
    meaning: 'The bridge is not trusted for facts about this participant on this channel.',
    advice: SENDERS,
  },
  'channel-mismatch': { meaning: 'The event was signed for another channel.', advice: ROUTES },
  'topic-mismatch': { meaning: 'The event was signed for another topic.', advice: ROUTES },
  replayed: {
    meaning: 'A later event about the same subject has arrived before, so this one is old.',
    advice: 'Somebody may have posted an old message again. Nothing is missing in the archive.',
  },
  'not-storable': { meaning: 'The database cannot store the event as it is.', advice: REPORT },
  'id-taken': {
    meaning: 'The archive has an event with the same id that fails verification.',
    advice: 'Verify the archived event, and correct what it fails; then evaluate again.',
  },
};

export const KNOWN_REASONS: readonly string[] = Object.keys(REASONS);

export function explainReason(reason: string): ReasonMeaning {
  return (
    REASONS[reason] ?? { meaning: 'This console does not know the reason.', advice: 'Read the detail below.' }
  );
}
