/** The shots of a video as bars of their length. The detail's player says the same in words. */
export function Cuts({ cuts, seconds }: { cuts: number[]; seconds: number }) {
  const ends = [...cuts.filter((at) => at > 0 && at < seconds), seconds];
  if (seconds <= 0 || ends.length > 60) return null; // bars too thin to see
  return (
    <span aria-hidden="true" className="flex h-1 gap-0.5">
      {ends.map((end, i) => (
        <i key={end} className="rounded-sm bg-white/75" style={{ flex: end - (ends[i - 1] ?? 0) }} />
      ))}
    </span>
  );
}
