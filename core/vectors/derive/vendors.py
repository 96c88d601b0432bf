"""Vectors of vendor-usage."""
from common import COUNTS, write


def vendor(name, who, raw, *counts, refused=None):
    """counts: input, output, cacheRead, cacheCreation, contextTokens; none for missing usage."""
    if refused:
        expect = {"refused": {"code": "invalid_count", "field": refused}}
    elif not counts:
        expect = {"usage": None, "contextTokens": None}
    else:
        expect = {"usage": dict(zip((*COUNTS, "cacheCreation"), counts[:4])), "contextTokens": counts[4]}
    return {"name": f"{who}: {name}", "given": {"vendor": who, "usage": raw}, "expect": expect}


def openai_chat(prompt, cached, written, completion, reasoning=None):
    raw = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion,
           "prompt_tokens_details": {"cached_tokens": cached, "cache_write_tokens": written}}
    if reasoning is not None:
        raw["completion_tokens_details"] = {"reasoning_tokens": reasoning}
    return raw, prompt - cached - written, completion, cached, written, prompt + completion


A, C, R, S, G, X, O = ("anthropic", "openai-chat", "openai-responses", "openai-agents", "gemini", "codex", "opencode")
vendor_cases = [
    vendor("the input excludes cached tokens, and the reading is the sum of all four", A,
           {"input_tokens": 12, "cache_creation_input_tokens": 90_000, "cache_read_input_tokens": 0, "output_tokens": 500},
           12, 500, 0, 90_000, 90_512),
    vendor("the example of 1 432 262 cache reads", A,
           {"input_tokens": 487, "output_tokens": 5880, "cache_read_input_tokens": 1_432_262},
           487, 5880, 1_432_262, 0, 487 + 5880 + 1_432_262),
    vendor("other fields change nothing", A,
           {"input_tokens": 3, "output_tokens": 100, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 10,
            "cache_creation": {"ephemeral_5m_input_tokens": 4, "ephemeral_1h_input_tokens": 6},
            "output_tokens_details": {"thinking_tokens": 60}, "service_tier": "standard", "iterations": []},
           3, 100, 20, 10, 133),
    vendor("null fields are 0", A,
           {"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": None, "cache_creation_input_tokens": None},
           5, 7, 0, 0, 12),
    vendor("absent fields are 0", A, {"output_tokens": 7}, 0, 7, 0, 0, 7),
    vendor("usage of zeros is usage without a reading", A, {"input_tokens": 0, "output_tokens": 0}, 0, 0, 0, 0, None),
    vendor("an empty object is usage of zeros", A, {}, 0, 0, 0, 0, None),
    vendor("null means no usage", A, None),
    vendor("a fraction is refused", A, {"input_tokens": 1.5, "output_tokens": 7}, refused="input"),
    vendor("a text is refused", A, {"input_tokens": 1, "output_tokens": "7"}, refused="output"),
    vendor("a cache read above 2^53−1 is refused", A,
           {"input_tokens": 1, "output_tokens": 7, "cache_read_input_tokens": 2**53}, refused="cacheRead"),

    vendor("the cached part is subtracted from the input", C, *openai_chat(1200, 1000, 0, 300)),
    vendor("the part written to the cache is subtracted from the input too", C, *openai_chat(5000, 1024, 2048, 10)),
    vendor("the output already includes reasoning", C, *openai_chat(100, 0, 0, 900, 800)),
    vendor("details may be absent", C, {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
           100, 20, 0, 0, 120),
    vendor("details may be null", C,
           {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120, "prompt_tokens_details": None,
            "completion_tokens_details": None}, 100, 20, 0, 0, 120),
    vendor("a detail may be null", C,
           {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": None}}, 100, 20, 0, 0, 120),
    vendor("the reading is total_tokens", C,
           {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 125}, 100, 20, 0, 0, 125),
    vendor("without total_tokens, the reading is prompt plus completion", C,
           {"prompt_tokens": 100, "completion_tokens": 20}, 100, 20, 0, 0, 120),
    vendor("the cached parts never exceed the prompt", C,
           {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": 150, "cache_write_tokens": 7}}, 0, 20, 100, 0, 120),
    vendor("the part written to the cache is the rest of the prompt at most", C,
           {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 70}}, 0, 20, 60, 40, 120),
    vendor("usage of zeros is usage without a reading", C,
           {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, 0, 0, 0, 0, None),
    vendor("null means no usage", C, None),
    vendor("a text among the details is refused", C,
           {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": "5"}},
           refused="cacheRead"),

    vendor("the cached and the written part are subtracted from the input", R,
           {"input_tokens": 1100, "input_tokens_details": {"cached_tokens": 1000, "cache_write_tokens": 64},
            "output_tokens": 30, "output_tokens_details": {"reasoning_tokens": 5}, "total_tokens": 1130},
           36, 30, 1000, 64, 1130),
    vendor("details may be absent", R, {"input_tokens": 1000, "output_tokens": 20, "total_tokens": 1020},
           1000, 20, 0, 0, 1020),
    vendor("null means no usage", R, None),

    vendor("an entry of requestUsageEntries", S,
           {"inputTokens": 1100, "outputTokens": 30, "totalTokens": 1130, "inputTokensDetails": {"cached_tokens": 1000},
            "outputTokensDetails": {"reasoning_tokens": 5}, "endpoint": "responses.create"}, 100, 30, 1000, 0, 1130),
    vendor("null means no usage", S, None),

    vendor("the cached part is subtracted from the input, and thoughts count as output", G,
           {"promptTokenCount": 2000, "cachedContentTokenCount": 1500, "candidatesTokenCount": 100,
            "thoughtsTokenCount": 400, "totalTokenCount": 2500}, 500, 500, 1500, 0, 2500),
    vendor("a tool's prompt counts as input", G,
           {"promptTokenCount": 2000, "toolUsePromptTokenCount": 300, "candidatesTokenCount": 100,
            "totalTokenCount": 2400}, 2300, 100, 0, 0, 2400),
    vendor("without totalTokenCount, the reading is the sum of the parts", G,
           {"promptTokenCount": 10, "toolUsePromptTokenCount": 20, "candidatesTokenCount": 30, "thoughtsTokenCount": 40},
           30, 70, 0, 0, 100),
    vendor("a blocked answer has no candidates", G, {"promptTokenCount": 10, "totalTokenCount": 10}, 10, 0, 0, 0, 10),
    vendor("null means no usage", G, None),

    vendor("last_token_usage of a token_count, without the cached part", X,
           {"input_tokens": 155_000, "cached_input_tokens": 90_000, "cache_write_input_tokens": 0, "output_tokens": 900,
            "reasoning_output_tokens": 0, "total_tokens": 155_900}, 65_000, 900, 90_000, 0, 155_900),
    vendor("the output already includes reasoning, and the written part is subtracted", X,
           {"input_tokens": 1000, "cached_input_tokens": 600, "cache_write_input_tokens": 100, "output_tokens": 500,
            "reasoning_output_tokens": 400, "total_tokens": 1500}, 300, 500, 600, 100, 1500),
    vendor("zeros with a total are a reading after a compaction", X,
           {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0, "reasoning_output_tokens": 0,
            "total_tokens": 12_965}, 0, 0, 0, 0, 12_965),
    vendor("older versions lack the written part", X,
           {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 9, "total_tokens": 109}, 60, 9, 40, 0, 109),
    vendor("null means no usage", X, None),

    vendor("the input excludes the cache", O,
           {"total": 9438, "input": 7, "output": 31, "reasoning": 0, "cache": {"write": 400, "read": 9000}},
           7, 31, 9000, 400, 9438),
    vendor("reasoning is added to the output if the total counts both", O,
           {"total": 1000, "input": 100, "output": 200, "reasoning": 300, "cache": {"write": 0, "read": 400}},
           100, 500, 400, 0, 1000),
    vendor("reasoning is not added to the output if the output includes it", O,
           {"total": 1000, "input": 100, "output": 500, "reasoning": 300, "cache": {"write": 0, "read": 400}},
           100, 500, 400, 0, 1000),
    vendor("without a total, the output is unchanged and the reading is the sum", O,
           {"input": 100, "output": 500, "reasoning": 300, "cache": {"write": 10, "read": 400}}, 100, 500, 400, 10, 1010),
    vendor("the cache may be absent", O, {"input": 100, "output": 500, "reasoning": 0}, 100, 500, 0, 0, 600),
    vendor("DeepSeek's name of the cached part", C,
           {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050, "prompt_cache_hit_tokens": 832,
            "prompt_cache_miss_tokens": 168}, 168, 50, 832, 0, 1050),
    vendor("Moonshot's name of the cached part", C,
           {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100, "cached_tokens": 60}, 30, 10, 60, 0, 100),
    vendor("xAI counts reasoning separately from the completion", C,
           {"prompt_tokens": 100, "completion_tokens": 9, "total_tokens": 409,
            "completion_tokens_details": {"reasoning_tokens": 300}}, 100, 309, 0, 0, 409),
    vendor("the completion includes reasoning", C,
           {"prompt_tokens": 100, "completion_tokens": 309, "total_tokens": 409,
            "completion_tokens_details": {"reasoning_tokens": 300}}, 100, 309, 0, 0, 409),
    vendor("null means no usage", O, None),
]
write("vendor-usage",
      "Deltas and context size from a vendor's usage of one call. `usage` null: the vendor reported none, which disables "
      "cumulative tracking. `contextTokens` null: the size is unknown; a reported size of 0 means unknown too. The "
      "`field` of a refusal is the count with the invalid figure.",
      "The rules of core/vectors/README.md; the vendors' own type definitions", vendor_cases)
