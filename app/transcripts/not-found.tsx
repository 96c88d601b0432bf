import { Missing } from '@/components/ui/page-head';

export default function TranscriptNotFound() {
  return (
    <Missing title="No such transcript" href="/transcripts" link="All transcripts">
      The address names no transcript of this server: it never arrived here, or the address is cut short. A
      deleted transcript keeps its row.
    </Missing>
  );
}
