import { useState } from 'react';
import type { ListingPath, Parts } from '../api/api-client.js';
import { downloadCsv } from '../api/download.js';
import { Button } from './button.js';
import { ErrorNote } from './notes.js';

interface CsvButtonProps {
  readonly path: ListingPath;
  readonly parts?: Parts;
  /** The filters of the listing, with the largest `limit` that it has. */
  readonly query: Parameters<typeof downloadCsv>[2];
  readonly fileName: string;
}

/** Saves all rows of a listing for a spreadsheet, and shows why that failed. */
export function CsvButton({ path, parts = {}, query, fileName }: CsvButtonProps) {
  const [isReading, setIsReading] = useState(false);
  const [error, setError] = useState<Error>();
  const download = async (): Promise<void> => {
    setIsReading(true);
    setError(undefined);
    await downloadCsv(path, parts, query, fileName).catch(setError);
    setIsReading(false);
  };
  return (
    <>
      <Button disabled={isReading} onClick={() => void download()}>
        {isReading ? 'Reading…' : 'Download CSV'}
      </Button>
      {error && <ErrorNote error={error} />}
    </>
  );
}
