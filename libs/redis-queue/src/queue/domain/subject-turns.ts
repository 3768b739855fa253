/** Lets work of one subject run one after the other, in the order of the calls. Work of other subjects does not wait. */
export class SubjectTurns {
  /** The end of the last work of each subject with pending work. */
  private readonly ends = new Map<string, Promise<void>>();

  async run<T>(subject: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.ends.get(subject) ?? Promise.resolve()).then(work);
    const end = turn.then(
      () => undefined,
      () => undefined,
    );
    this.ends.set(subject, end);
    try {
      return await turn;
    } finally {
      if (this.ends.get(subject) === end) this.ends.delete(subject);
    }
  }
}
