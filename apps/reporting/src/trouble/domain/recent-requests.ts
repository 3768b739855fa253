/** The moments (epoch milliseconds, ascending) of each participant's requests, for so many participants at most. */
export class RecentRequests {
  private readonly moments = new Map<string, readonly number[]>();

  constructor(private readonly mostParticipants: number) {}

  of(participant: string): readonly number[] {
    return this.moments.get(participant) ?? [];
  }

  /** Of more participants than there may be, the one that has not asked for longest is forgotten. */
  keep(participant: string, moments: readonly number[]): void {
    this.moments.delete(participant);
    this.moments.set(participant, moments);
    const [longestAgo] = this.moments.keys();
    if (this.moments.size > this.mostParticipants && longestAgo !== undefined)
      this.moments.delete(longestAgo);
  }
}
