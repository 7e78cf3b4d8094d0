"""Tuning configurations of Humming: which are tried for a problem, and what they are called.

A name states what differs from Humming's defaults, `humming_wgmma_b64x128x64_w64x32x64_s4_c2_ws1_tma1`. A field of a
later version that has no short code here is stated by its own name.
"""

import dataclasses
import re
import typing

from humming.config import ComputeConfig, TuningConfig
from humming.device import current_device
from humming.utils.smem import estimate_smem_size_config

FIELDS = {field.name: field for field in dataclasses.fields(TuningConfig)}
SHORT = {"mma_type": "mma", "block_shape": "b", "warp_shape": "w", "num_stages": "s", "num_ctas_per_sm": "c",
         "use_stream_k": "sk", "use_warp_spec": "ws", "use_tma": "tma", "raster_group_m": "g",
         "multi_cast_size_a": "ma", "multi_cast_size_b": "mb", "producer_stage_unroll": "pu",
         "consumer_stage_unroll": "cu", "wgmma_split_issue_wait": "siw", "wgmma_use_late_as": "las",
         "smem_reuse_mode": "reuse", "num_sms": "sms"}  # num_sms is said at the launch, and no field
CODES = {SHORT.get(name, name.replace("_", "")): name for name in (*FIELDS, "num_sms")}
WORDS = {"mma": ("mma_type", "mma"), "wgmma": ("mma_type", "wgmma"), "umma": ("mma_type", "umma"),
         "mxmma": ("mma_type", "mxmma"), "reusenone": ("smem_reuse_mode", "none"),
         "reuselaststage": ("smem_reuse_mode", "last_stage"), "reuseallstages": ("smem_reuse_mode", "all_stages")}
OTHER_M = (8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 4096)
NEIGHBOURS = {"num_stages": (3, 4, 5, 6), "num_ctas_per_sm": (1, 2, 3), "raster_group_m": (1, 4, 8),
              "multi_cast_size_a": (1, 2)}


def params_of(config):
    """Pairs of code and text, in a fixed order."""
    stated = {}
    for name, value in config.items():
        value, default = getattr(value, "value", value), getattr(FIELDS.get(name), "default", 0)
        if name == "use_f16_accum" or value in (None, default) or (value is False and default is None):
            continue
        text = "x".join(map(str, value)) if isinstance(value, (tuple, list)) else value
        text = text.replace("_", "") if isinstance(text, str) else str(int(text))
        stated[SHORT.get(name, name.replace("_", ""))] = text
    order = [code for code in SHORT.values() if code in stated]
    return tuple((code, stated[code]) for code in order + sorted(set(stated) - set(order)))


def name_of(config):
    return "_".join(["humming"] + [text if code == "mma" else code + text for code, text in params_of(config)])


def parse_name(name):
    """The tuning configuration, or None for a name that is no candidate's."""
    head, *tokens = name.split("_")
    config = dict(_parse_token(token) for token in tokens)
    known = head == "humming" and None not in config and {"block_shape", "warp_shape"} <= set(config)
    return config if known and name_of(config) == name else None


def _parse_token(token):
    """Field and value, or None and None."""
    if token in WORDS:
        return WORDS[token]
    match = re.fullmatch(r"([a-z]+)(\d+(?:x\d+)*)", token)
    if not match or match[1] not in CODES:
        return None, None
    field, numbers = CODES[match[1]], tuple(map(int, match[2].split("x")))
    if len(numbers) > 1:
        return field, numbers
    kind = getattr(FIELDS.get(field), "type", int)
    return field, bool(numbers[0]) if bool in (kind, *typing.get_args(kind)) else numbers[0]


def listed(layer, m, choose):
    """What is tried, the default first. `choose(m, invariant)`: what the heuristics choose, with results that do not
    depend on M (so without Stream-K) if `invariant`."""
    found = [choose(m, False)] + _answers(choose, [(m, True)])
    found += [x for config in found for x in neighbours(config, m)]
    others = _answers(choose, [(other, invariant) for other in OTHER_M for invariant in (False, True)])
    others = [config for config in others if fits(config["block_shape"][0], m)]
    found += [x for config in others for x in (config, with_other_sums(config))]
    unique = list({name_of(config): config for config in found}.values())
    return unique[:1] + [config for config in unique[1:] if has_room(layer, config)]


def _answers(choose, questions):
    """The heuristics have no answer for some M, and then fail an assertion."""
    found = []
    for question in questions:
        try:
            found.append(choose(*question))
        except Exception:  # of whatever type
            continue
    return found


def with_other_sums(config):
    """With Stream-K in place of whole tiles, or the other way round."""
    return {**config, "use_stream_k": not config.get("use_stream_k", True)}


def neighbours(config, m):
    """One step along each axis that this configuration has."""
    axes = dict(NEIGHBOURS)
    if m <= config["block_shape"][0]:  # one row of tiles is the same in any group
        del axes["raster_group_m"]
    if not config.get("use_warp_spec"):
        del axes["multi_cast_size_a"]
    return [with_other_sums(config)] + [{**config, key: value} for key, values in axes.items() for value in values]


def fits(block_m, m):
    """Not many more rows than there are, and not a small part of many."""
    return block_m < m + 16 and 2 * block_m >= min(m, 64)


def has_room(layer, config):
    """In the shared memory of a multiprocessor."""
    try:
        tuning = TuningConfig(**{key: value for key, value in config.items() if key in FIELDS})
        size = estimate_smem_size_config(layer, ComputeConfig(), tuning)
    except Exception:  # a configuration that is not legal, which is better said when it is compiled
        return True
    return size * tuning.num_ctas_per_sm <= current_device.max_smem_size
