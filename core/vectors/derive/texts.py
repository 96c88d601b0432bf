"""Vectors of checkpoint, archive-name and settings."""
import hashlib
import unicodedata

from common import write

F = "```"
BODY = "## Goal\nFix the login form.\n\n## Remaining Tasks\n1. Tests"
TEMPLATE = "## Goal\n[1-2 sentence summary of the original task]\n\n## Remaining Tasks\n[Ordered list of what still needs to be done]"


def checkpoint(name, text, expect):
    return {"name": name, "given": {"text": text}, "expect": {"checkpoint": expect, "minimal": expect == ""}}


checkpoint_cases = [
    checkpoint("a well-formed block", f"<checkpoint>\n{BODY}\n</checkpoint>", BODY),
    checkpoint("text around the block is left out", f"Here you are.\n\n<checkpoint>\n{BODY}\n</checkpoint>\n\nI stop now.", BODY),
    checkpoint("a block on one line", "<checkpoint>Goal: ship it</checkpoint>", "Goal: ship it"),
    checkpoint("a block wrapped in an xml fence", f"{F}xml\n<checkpoint>\n{BODY}\n</checkpoint>\n{F}", BODY),
    checkpoint("a block wrapped in a markdown fence", f"{F}markdown\n<checkpoint>\n{BODY}\n</checkpoint>\n{F}\n", BODY),
    checkpoint("a block wrapped in a fence without a language", f"{F}\n<checkpoint>\n{BODY}\n</checkpoint>\n{F}", BODY),
    checkpoint("a fence after an introduction", f"Here it is:\n{F}xml\n<checkpoint>\n{BODY}\n</checkpoint>\n{F}", BODY),
    checkpoint("a fence inside the tags", f"<checkpoint>\n{F}markdown\n{BODY}\n{F}\n</checkpoint>", BODY),
    checkpoint("a code block within the content stays", f"<checkpoint>\nRun this:\n{F}sh\nnpm test\n{F}\nThen stop.\n</checkpoint>",
               f"Run this:\n{F}sh\nnpm test\n{F}\nThen stop."),
    checkpoint("a code block within a wrapped block stays",
               f"{F}markdown\n<checkpoint>\nRun this:\n{F}sh\nnpm test\n{F}\nThen stop.\n</checkpoint>\n{F}",
               f"Run this:\n{F}sh\nnpm test\n{F}\nThen stop."),
    checkpoint("a code block at each end is not a wrapper", f"<checkpoint>\n{F}js\na()\n{F}\nand\n{F}js\nb()\n{F}\n</checkpoint>",
               f"{F}js\na()\n{F}\nand\n{F}js\nb()\n{F}"),
    checkpoint("an unclosed tag reads to the end", f"Sure.\n<checkpoint>\n{BODY}", BODY),
    checkpoint("an unclosed tag in a wrapped answer reads to the end of the wrapper", f"{F}xml\n<checkpoint>\n{BODY}\n{F}", BODY),
    checkpoint("without a tag, the whole answer is the checkpoint", f"I was fixing the login form.\n{BODY}", f"I was fixing the login form.\n{BODY}"),
    checkpoint("without a tag, the content of a wrapped answer is the checkpoint", f"{F}markdown\n{BODY}\n{F}", BODY),
    checkpoint("without a tag, a code block within the answer stays", f"Run:\n{F}sh\nnpm test\n{F}", f"Run:\n{F}sh\nnpm test\n{F}"),
    checkpoint("an empty answer", "", ""),
    checkpoint("an answer of blanks", " \n\t\n ", ""),
    checkpoint("an empty block", "<checkpoint></checkpoint>", ""),
    checkpoint("a block of blanks", "<checkpoint>\n  \n</checkpoint>", ""),
    checkpoint("an opening tag and nothing else", "<checkpoint>", ""),
    checkpoint("an empty block does not fall back to the text around it", "Nothing to report.\n<checkpoint>\n</checkpoint>\nBye.", ""),
    checkpoint("tags in capital letters", f"<CHECKPOINT>\n{BODY}\n</Checkpoint>", BODY),
    checkpoint("the first of several blocks is used", "<checkpoint>one</checkpoint>\n<checkpoint>two</checkpoint>", "one"),
    checkpoint("an echo of the template before the block is skipped",
               f"STOP.\n<checkpoint>\n{TEMPLATE}\n</checkpoint>\n\n<checkpoint>\n{BODY}\n</checkpoint>", BODY),
    checkpoint("an echo of the template alone is no checkpoint", f"<checkpoint>\n{TEMPLATE}\n</checkpoint>", ""),
    checkpoint("a placeholder that is left in a filled block stays",
               f"<checkpoint>\n{BODY}\n## Key Decisions\n[none]\n</checkpoint>", f"{BODY}\n## Key Decisions\n[none]"),
    checkpoint("a tag mentioned within the block is text", "<checkpoint>Goal: parse <checkpoint> tags</checkpoint>",
               "Goal: parse <checkpoint> tags"),
    checkpoint("a tag announced in a sentence before the block is text",
               f"I write the <checkpoint> block now.\n<checkpoint>\n{BODY}\n</checkpoint>", BODY),
    checkpoint("a pair of tags announced in a sentence before the block is text",
               f"As asked, in <checkpoint></checkpoint> tags:\n\n  <checkpoint>{BODY}</checkpoint>", BODY),
    checkpoint("a block in the middle of a line counts if no block begins a line",
               f"Here it is: <checkpoint>{BODY}</checkpoint> Bye.", BODY),
    checkpoint("a tag with a similar name is not a checkpoint tag", "<checkpoints>a</checkpoints>", "<checkpoints>a</checkpoints>"),
    checkpoint("lines that end in CR LF", f"<checkpoint>\r\n## Goal\r\nShip\r\n</checkpoint>\r\n", "## Goal\r\nShip"),
    checkpoint("blank lines and blanks around the content are trimmed", f"<checkpoint>\n\n  {BODY}  \n\n</checkpoint>", BODY),
    checkpoint("letters of any script pass unchanged", "<checkpoint>目标：修复登录 🚀 — étape 2</checkpoint>", "目标：修复登录 🚀 — étape 2"),
    checkpoint("other tags within the content stay", "<checkpoint><b>Goal</b> & more</checkpoint>", "<b>Goal</b> & more"),
]
write("checkpoint",
      "The trimmed checkpoint in an agent's answer to the checkpoint prompt. `minimal`: the checkpoint is empty, so the "
      "continuation uses the minimal prompt.",
      "Accounting, The library; document 002, task 4 and its edge cases", checkpoint_cases)

def repo_key(path):
    path = path.rstrip("/") or "/"
    dashed = "".join(
        "-" if c in "/\\:" else "_" if c in '<>"|?*' or unicodedata.category(c) == "Cc" else c for c in path
    )
    while len(dashed.encode()) > 180:
        dashed = dashed[1:]
    return f"{dashed}-{hashlib.sha256(path.encode()).hexdigest()[:8]}"


UUID = "3b1c9f4e-8a34-4d0f-9a54-2f2d9c1f7c11"
session_cases = [
    {"name": f"a safe session id is unchanged: {value}", "given": {"kind": "session", "sessionId": value}, "expect": {"equals": value}}
    for value in (UUID, "task-42", "a.b_c-D9", "x" * 100)
] + [
    {"name": f"{what} as session id becomes unknown", "given": {"kind": "session", "sessionId": value}, "expect": {"equals": "unknown"}}
    for what, value in (("null", None), ("an empty text", ""), ("an object", {}), ("a list", ["a"]), ("a boolean", True))
] + [
    {"name": "an absent session id becomes unknown", "given": {"kind": "session"}, "expect": {"equals": "unknown"}},
] + [
    {"name": f"{what} in a session id is made safe", "given": {"kind": "session", "sessionId": value}, "expect": {"safe": True}}
    for what, value in (
        ("a path upwards", "../../etc/passwd"), ("an absolute path", "/etc/passwd"), ("a backslash", "..\\..\\x"),
        ("a leading dot", ".hidden"), ("nothing but dots", ".."), ("a blank", "my session"), ("a line break", "a\nb"),
        ("a NUL", "a\u0000b"), ("a non-Latin script", "会话 42"), ("an emoji", "🚀"), ("a quote", "a'b\"c`d"),
        ("an excessive length", "x" * 5_000), ("a dollar and a semicolon", "$(rm -rf ~);"))
]
key_cases = [
    {"name": f"the key of {what}", "given": {"kind": "repo", "path": value}, "expect": {"equals": repo_key(value)}}
    for what, value in (
        ("/home/cyou/mala", "/home/cyou/mala"), ("/a-b", "/a-b"), ("/a/b", "/a/b"), ("/a/b with a slash at its end", "/a/b/"),
        ("the root folder", "/"), ("a folder with blanks", "/my work/app"), ("a folder in a non-Latin script", "/проекты/приложение"),
        ("a folder with a colon", "/a:b"), ("a folder with characters that some systems forbid", '/a"b?c*d'),
        ("a folder with a line break", "/a\nb"),
        ("a folder with a control character of Latin-1", "/a\x85b"), ("a folder too deep for a file name", "/" + "/".join(["directory"] * 40)))
]
assert key_cases[1]["expect"] != key_cases[2]["expect"] == key_cases[3]["expect"]
extension_cases = [
    {"name": f"the extension of {value}", "given": {"kind": "extension", "path": value}, "expect": {"equals": expect}}
    for value, expect in (
        ("/t/session.jsonl", ".jsonl"), ("/t/session.md", ".md"), ("/t/session.JSON", ".JSON"), ("/t/archive.tar.gz", ".gz"),
        ("/t/session", ".txt"), ("/t/.hidden", ".txt"), ("/t/session.", ".txt"), ("/t/folder.d/session", ".txt"),
        ("session.log", ".log"))
] + [
    {"name": f"{what} as extension is made safe", "given": {"kind": "extension", "path": value}, "expect": {"safe": True}}
    for what, value in (("a blank", "/t/session.a b"), ("an excessive length", "/t/session." + "x" * 60),
                        ("a non-Latin script", "/t/session.журнал"), ("a line break", "/t/session.a\nb"))
]
copy = {"repo": "-home-dev-harbour-1a2b3c4d", "path": "abc-1_20260105_120000_transcript.jsonl", "sha256": hashlib.sha256(b"").hexdigest()}
digits = hashlib.sha256(f"{copy['repo']}/{copy['path']} {copy['sha256']}".encode()).hexdigest()
copy_id = f"{digits[:8]}-{digits[8:12]}-8{digits[13:16]}-{'89ab'[int(digits[16], 16) & 3]}{digits[17:20]}-{digits[20:32]}"
copy_cases = [{
    "name": "the id of a copy is a UUID of version 8, from its repo key, its file name and its SHA-256",
    "given": {"kind": "copy", **copy}, "expect": {"equals": copy_id},
}]
write("archive-name",
      "Names of the local archive, `runs/<repo key>/archives/<session>_<UTC time>_transcript<ext>`. A `safe` session has only A–Z "
      "a–z 0–9 . _ -, is not empty, does not begin with a dot, and has at most `maxSessionLength` characters. A `safe` extension is a dot and "
      "1 to 31 of A–Z a–z 0–9 . _ ~ + -. `archiveName` is a pattern that the file's name matches. A repo key is the absolute path "
      "without slashes at its end, each / \\ : as -, each control character and each of < > \" | ? * as _, then - and the "
      "first 8 hexadecimal digits of the SHA-256 of the path in UTF-8. If the part before the hash exceeds 180 bytes, only "
      "its last characters that fit are kept. A copy's id is the first 32 hexadecimal digits of the SHA-256 of "
      "`<repo key>/<file name> <sha256>`, with the bits of a UUID of version 8.",
      "Accounting, The library; document 001, Repo identity and archive path",
      session_cases + key_cases + extension_cases + copy_cases, maxSessionLength=150,
      archiveName="^<session>_[0-9]{8}[T_-]?[0-9]{6}[0-9A-Za-z_.-]*_transcript<extension>$")


def edits(a, b):
    """Levenshtein distance."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


KNOWN = ["context_restart_threshold", "context_limit", "archive_folder", "content"]


def setting(name, given, expect_nearest, known=KNOWN):
    nearest = min(known, key=lambda candidate: edits(given, candidate))
    assert nearest == expect_nearest, (given, nearest)
    return {"name": name, "given": {"setting": given, "known": known},
            "expect": {"begins": f'Unknown setting "{given}"', "nearest": nearest}}


write("settings",
      "An unknown setting is refused by name. The message begins with `begins` and names `nearest`: the known "
      "setting with the fewest edits (insert, delete or replace a letter), the first of several. The search may "
      "ignore - and _ and the case of letters.",
      "Accounting, The library; document 001, Breaking changes",
      [setting("a letter is missing", "context_restart_treshold", "context_restart_threshold"),
       setting("a letter too many", "context_limitt", "context_limit"),
       setting("two letters are swapped", "contnet", "content"),
       setting("a retired setting is refused like an unknown one", "context_restart_threshold", "restart_threshold",
               ["restart_threshold", "archive_folder", "content"]),
       setting("a name in another letter case is unknown", "Content", "content"),
       setting("an environment variable", "BAROGRAPH_TOKKEN", "BAROGRAPH_TOKEN",
               ["BAROGRAPH_URL", "BAROGRAPH_TOKEN", "BAROGRAPH_PROJECT"])])
