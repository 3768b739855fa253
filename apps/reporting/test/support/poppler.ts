import { spawn } from 'node:child_process';

/** What people read in the file, laid out as on paper; a form feed ends each page. @throws when a reader complains about the file */
export function textOf(pdf: Uint8Array): Promise<string> {
  return run('pdftotext', ['-layout', '-enc', 'UTF-8', '-', '-'], pdf);
}

/** What the file says about itself: `Title:   …` and so on, line by line. */
export function infoOf(pdf: Uint8Array): Promise<string> {
  return run('pdfinfo', ['-isodates', '-'], pdf);
}

/** Both programs are poppler's, an implementation of PDF that shares nothing with the one that writes. */
function run(program: string, parameters: readonly string[], input: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters);
    const out: Buffer[] = [];
    const complaints: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      const complaint = Buffer.concat(complaints).toString();
      if (code === 0 && complaint === '') resolve(Buffer.concat(out).toString());
      else reject(new Error(`${program} (${code}): ${complaint}`));
    });
    child.stdin.on('error', reject);
    child.stdin.end(input);
  });
}
