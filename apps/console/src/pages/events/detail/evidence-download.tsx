import { useMutation } from '@tanstack/react-query';
import { saveFile } from '../../../api/save-file.js';
import { Button } from '../../../ui/button.js';
import { ErrorNote } from '../../../ui/notes.js';
import { readEvidence } from '../../../verification/use-verification.js';

const ID_LENGTH = 8;

/** Saves the evidence of an event, byte for byte. */
export function EvidenceDownload({ id }: { readonly id: string }) {
  const file = `evidence-${id.slice(0, ID_LENGTH)}.json`;
  const download = useMutation({
    mutationFn: () => readEvidence(id),
    onSuccess: (bytes) => saveFile(new Blob([bytes], { type: 'application/json' }), file),
  });
  return (
    <div className="event-evidence">
      <Button onClick={() => download.mutate()} disabled={download.isPending}>
        {download.isPending ? 'Reading…' : 'Download evidence'}
      </Button>
      <p className="hint">
        To verify without this server: <code>busbridge verify {file}</code>
      </p>
      {download.error && <ErrorNote error={download.error} />}
    </div>
  );
}
